"""Words of which people, products and firms are made; all of our own choice."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.replace("\n", " ").split(","))


FIRST = _words(
    """
    Aarav, Abigail, Adnan, Aileen, Alice, Amit, Ananya, Andrea, Anika, Arthur, Asha, Bashir, Beth, Brendan, Camila, Carmen,
    Cedric, Chloe, Colin, Daniela, David, Devika, Dinesh, Dylan, Elias, Ellen, Emil, Erika, Ethan, Farah, Fatima, Finn, Gita,
    Gordon, Greta, Harish, Helen, Henrik, Ida, Imran, Irene, Ishaan, Jamal, Jasmine, Joan, Joel, Julian, Kavya, Keiko, Kiran,
    Laura, Leo, Linda, Lorenzo, Luis, Maeve, Manuel, Maria, Martin, Meera, Miguel, Mina, Nadine, Neha, Nicolas, Nina, Noel,
    Omar, Paula, Peter, Pooja, Rahul, Rania, Rebecca, Rohan, Ruth, Sandra, Sean, Shreya, Silvia, Suresh, Tania, Thomas, Usha,
    Valerie, Vikram, Vivian, Walter, Yusra, Zubin
    """
)
LAST = _words(
    """
    Acharya, Agarwal, Ahmed, Allen, Anand, Baker, Banerjee, Barnes, Bhatt, Blake, Bose, Brooks, Campbell, Carter, Chatterjee,
    Chen, Choi, Cooper, Cruz, Dalal, Das, Dixon, Dutta, Ellis, Evans, Fernandes, Fisher, Ford, Foster, Gandhi, Gill, Gomez,
    Grant, Gupta, Hall, Hart, Hayes, Hughes, Hussain, Ibrahim, Jain, James, Joshi, Kaur, Kelly, Khanna, Kim, Knight, Lee, Lewis,
    Mathur, Menon, Miller, Mishra, Mitchell, Morris, Mukherjee, Murray, Nair, Nash, Naidu, Owens, Page, Park, Perez, Pillai,
    Porter, Price, Quinn, Raman, Reddy, Reed, Reynolds, Rivera, Ross, Roy, Sanders, Saxena, Sen, Sethi, Shah, Shaw, Sinha, Stone,
    Thakur, Tran, Turner, Varma, Verma, Wallace, Watson, Webb, Wong, Wright, Young
    """
)
CITIES = _words("Ahmedabad, Bengaluru, Chennai, Delhi, Hyderabad, Jaipur, Kochi, Kolkata, Lucknow, Mumbai, Nagpur, Pune")
FIRM_FIRST = _words(
    """
    Acacia, Alpine, Apex, Arbor, Argon, Atlas, Banyan, Bayside, Borealis, Canyon, Cascade, Cobble, Compass, Cypress, Dune,
    Eastgate, Elm, Equinox, Fern, Foxglove, Galena, Grove, Harbor, Highland, Horizon, Iris, Ivory, Jade, Keystone, Lakeside,
    Laurel, Lotus, Lumen, Magnolia, Marble, Monsoon, Nimbus, Oakridge, Onyx, Orchid, Palmyra, Peak, Pinnacle, Prairie, Redwood,
    Rill, Sable, Sequoia, Shoreline, Solstice, Tamarind, Teak, Terrace, Thistle, Tundra, Verdant, Vertex, Westwood, Yarrow, Zenith
    """
)
FIRM_KIND = _words(
    """
    Care, Digital, Foods, Group, Holdings, Industries, Labs, Logistics, Media, Partners, Power, Retail, Systems, Traders, Works
    """
)
STREETS = _words("Brigade Road, Church Street, Fort Lane, Garden Street, Hill Road, Lake View, Mill Street, Ring Road")
SKILLS: dict[str, tuple[str, ...]] = {
    "Engineering": _words("Python, Go, Java, TypeScript, testing, databases, networking, cloud, security, data pipelines"),
    "HR": _words("recruiting, payroll, coaching, employment law, onboarding, succession planning, training"),
    "Information Technology": _words("networks, Windows, Linux, identity, backup, hardware, helpdesk, security"),
    "Sales": _words("negotiation, forecasting, account planning, pricing, presentations, e-commerce"),
    "Business Development": _words("partnerships, market research, proposals, contracts, pricing, public speaking"),
    "BPO": _words("customer care, call handling, data entry, quality audits, escalations"),
    "Finance": _words("accounting, audit, budgeting, taxation, reporting, treasury"),
    "Management": _words("strategy, operations, vendor management, budgeting, leadership, reporting"),
}
GOODS: dict[str, tuple[str, ...]] = {
    "Electronics|Cables": _words("USB-C Cable, HDMI Cable, Charging Cable, Audio Cable"),
    "Electronics|Audio": _words("Wireless Earbuds, Headphones, Bluetooth Speaker, Soundbar"),
    "Electronics|Wearables": _words("Smartwatch, Fitness Band, Heart Rate Strap"),
    "Computers|Accessories": _words("Keyboard, Mouse, Laptop Stand, Webcam, USB Hub"),
    "Home|Kitchen": _words("Kettle, Blender, Toaster, Induction Cooktop, Rice Cooker"),
    "Home|Care": _words("Vacuum Cleaner, Steam Iron, Air Purifier, Room Heater"),
    "Office|Stationery": _words("Notebook, Gel Pen Set, Desk Organizer, Whiteboard"),
}
MAKES = _words("Aster, Bolt, Corvo, Dyna, Ekko, Fenix, Gale, Halo, Ion, Jolt, Kite, Lyra, Mira, Orbit, Pixel, Quark, Rove, Sol")
