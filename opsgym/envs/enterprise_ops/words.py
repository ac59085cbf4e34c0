"""Words of which people and companies are made; all of our own choice."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.replace("\n", " ").split(","))


FIRST = _words(
    """
    Adele, Aisha, Akira, Alma, Amara, Anton, Anya, Arjun, Astrid, Beatriz, Benoit, Bianca, Bruno, Carlos, Celine,
    Chidi, Clara, Daichi, Dalia, Daniel, Deepa, Diego, Dora, Edith, Elena, Emre, Esther, Farid, Felix, Fiona, Freya,
    Gabriel, Giulia, Grace, Hanna, Haruka, Hector, Hugo, Ines, Ingrid, Isaac, Ivana, Jonas, Jorge, Julia, Kamal,
    Karin, Kenji, Lars, Leila, Liam, Lina, Lucas, Magda, Malik, Marek, Marta, Mateo, Mei, Mila, Nadia, Naomi, Nikhil,
    Nora, Olga, Oscar, Paolo, Petra, Priya, Rafael, Ravi, Rosa, Samir, Sanjay, Selma, Simon, Sofia, Stefan, Tara,
    Theo, Tomas, Uma, Vera, Viktor, Wanda, Yara, Yusuf, Zoe
    """
)
LAST = _words(
    """
    Abbott, Adeyemi, Almeida, Andersen, Aoki, Bauer, Becker, Bianchi, Brandt, Carvalho, Castro, Chandra, Clarke,
    Costa, Dahl, Desai, Diaz, Dubois, Ekström, Farrell, Fischer, Fontaine, Fujita, Garcia, Ghosh, Greco, Haddad,
    Hansen, Harper, Hayashi, Herrera, Hoffmann, Iyer, Jansen, Jensen, Kapoor, Keller, Khan, Kimura, Koch, Kowalski,
    Kumar, Lambert, Larsen, Lindqvist, Lopez, Malik, Marino, Mehta, Meyer, Moreau, Mori, Müller, Nakamura, Nguyen,
    Novak, Okafor, Olsen, Ortiz, Osei, Parker, Patel, Pereira, Petrov, Ramos, Rao, Reyes, Ricci, Rossi, Sato, Schmidt,
    Sharma, Silva, Singh, Sousa, Suzuki, Tanaka, Torres, Varga, Vogel, Wagner, Walsh, Weber, Winter, Yamada, Yilmaz,
    Zhang, Ziegler
    """
)
FIRM_FIRST = _words(
    """
    Alder, Amber, Anchor, Ardent, Aspen, Aurora, Basalt, Beacon, Birch, Blue Harbor, Boulder, Bright Field, Cedar,
    Cinder, Clover, Cobalt, Copper, Coral, Crane, Crest, Delta, Drift, Ember, Falcon, Fjord, Flint, Garnet, Glacier,
    Granite, Hazel, Heron, Indigo, Juniper, Kestrel, Lantern, Larch, Linden, Maple, Meridian, Mesa, Northern, Oak
    Hill, Ochre, Opal, Osprey, Pebble, Pine, Quarry, Quartz, Raven, Ridge, River, Rowan, Saffron, Sage, Silver Lake,
    Slate, Spruce, Sterling, Summit, Tidal, Topaz, Umber, Vale, Willow
    """
)
FIRM_KIND = _words(
    """
    Airlines, Analytics, Bank, Biotech, Breweries, Clinics, Construction, Consulting, Dairies, Energy, Engineering,
    Foods, Freight, Hospitals, Hotels, Insurance, Logistics, Media, Mining, Mobility, Pharma, Ports, Publishing, Rail,
    Retail, Robotics, Schools, Semiconductors, Shipping, Software, Steel, Studios, Telecom, Textiles, Utilities, Wind
    """
)
STREETS = _words(
    """
    Bridge Street, Canal Road, Castle Lane, Chapel Street, Church Road, Dock Street, Elm Avenue, Garden Road, Hill
    Street, Market Street, Mill Lane, Park Avenue, Quay Street, River Road, Spring Street, Station Road, Temple Road,
    Union Street
    """
)
