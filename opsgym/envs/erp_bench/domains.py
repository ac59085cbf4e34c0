"""Twenty product domains: what tasks are about, free of how they are planned.

Every name, code and figure here is our own invention.  A domain supplies finished products and components with
plausible prices; any domain goes with any pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class ComponentTemplate:
    """A component: ``cost`` in cents, ``low`` to ``high`` units go into one finished unit."""

    name: str
    cost: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class FinishedTemplate:
    """A finished product with its usual list price in cents."""

    name: str
    list_price: int


@dataclass(frozen=True, slots=True)
class Domain:
    """A product domain.

    Attributes:
        key: Name of the domain, used by the parameter ``domain``.
        prefix: First letters of product codes.
        category: Product category in the ERP.
        company: What the company is, in a few words that follow "a" or "an".
        finished: Finished products.
        components: Components, at least twelve.
    """

    key: str
    prefix: str
    category: str
    company: str
    finished: tuple[FinishedTemplate, ...]
    components: tuple[ComponentTemplate, ...]


# One block a domain.  First line: key | code prefix | category | company.  "=" finished product | list price in dollars.
# "-" component | cost in dollars | units per finished unit.
_TABLE = """
sound_panels | AC | Acoustics | a maker of acoustic panels for studios and open offices
= Ceiling Baffle 1200 | 268
= Ceiling Baffle 1500 | 314
= Wall Absorber 600 Felt | 182
= Wall Absorber 900 Felt | 236
= Freestanding Screen 1600 | 489
= Studio Corner Trap | 221
- Mineral Wool Slab 50 mm | 9.80 | 1-3
- Recycled PET Felt Sheet | 14.60 | 1-3
- Ash Veneer Frame Rail | 6.90 | 2-4
- Aluminium Edge Profile | 5.40 | 2-4
- Suspension Wire Set | 7.25 | 1-2
- Wall Bracket Pair | 4.60 | 1-2
- Acoustic Fabric Cut, Grey | 11.30 | 1-2
- Corner Connector | 1.85 | 4-6
- Perforated Backing Board | 12.70 | 1-1
- Foam Gasket Strip | 2.15 | 2-5
- Adhesive Cartridge | 6.20 | 1-2
- Felt Foot Kit | 3.10 | 1-2
- Fire-Retardant Scrim | 8.45 | 1-2
- Hook-and-Loop Tape Roll | 3.95 | 1-3

server_racks | SR | IT Infrastructure | a builder of data-hall racks and enclosures
= Rack Cabinet 24U | 742
= Rack Cabinet 42U | 1186
= Rack Cabinet 47U Deep | 1498
= Wall Enclosure 12U | 386
= Open Frame 42U | 524
= Edge Rack 18U Sealed | 968
- Steel Upright 42U | 38.50 | 2-4
- Perforated Front Door | 74.00 | 1-1
- Split Rear Door | 68.00 | 1-1
- Side Panel, Lockable | 36.20 | 1-2
- Cage Nut Pack M6 | 5.90 | 2-4
- Vertical PDU Mount | 12.80 | 1-2
- Cable Ring Set | 7.60 | 2-4
- Levelling Foot Set | 9.40 | 1-1
- Brush Entry Plate | 11.70 | 1-3
- Roof Fan Tray | 83.00 | 1-1
- Grounding Kit | 13.20 | 1-1
- Castor Set, Braked | 27.40 | 1-1
- Swing Handle Lock | 19.80 | 1-2
- Fixed Shelf 1U | 16.50 | 1-3

conveyor_modules | CV | Intralogistics | an assembler of modular conveyors for parcel hubs
= Belt Module 2 m | 1284
= Belt Module 3 m | 1642
= Roller Module 90 Curve | 1438
= Merge Module Y | 1875
= Incline Module 15 deg | 1990
= Transfer Module Pop-Up | 2360
- Drum Motor 0.37 kW | 214.00 | 1-1
- Tail Pulley 113 mm | 62.00 | 1-2
- PVC Belt Length | 78.50 | 1-1
- Extruded Side Rail 2 m | 41.20 | 2-2
- Support Leg Pair | 33.60 | 1-2
- Idler Roller 50 mm | 9.70 | 3-6
- Photo Eye Sensor | 28.40 | 1-3
- Frequency Inverter 0.55 kW | 132.00 | 1-1
- Guard Plate Set | 24.90 | 1-2
- Belt Tensioner | 18.30 | 2-2
- Bearing Flange UCF204 | 12.60 | 2-4
- Wiring Loom, Module | 37.50 | 1-1
- Emergency Stop Box | 26.80 | 1-1
- Return Roller | 11.20 | 2-4

workstations | WK | Ergonomic Furniture | a producer of height-adjustable assembly benches
= Assembly Bench 1200 | 684
= Assembly Bench 1500 | 798
= Assembly Bench 1800 ESD | 1046
= Packing Table 1600 | 572
= Inspection Desk with Hood | 1218
= Corner Bench L-Shape | 1130
- Lifting Column, Electric | 88.00 | 2-2
- Beech Worktop 1500 | 72.00 | 1-1
- ESD Laminate Top | 96.00 | 1-1
- Control Box, Two Motors | 54.50 | 1-1
- Hand Switch with Memory | 17.20 | 1-1
- Cross Beam, Telescopic | 23.40 | 1-2
- C-Foot Pair | 29.80 | 1-1
- Perforated Back Panel | 27.60 | 1-2
- LED Task Light Arm | 38.90 | 1-1
- Drawer Unit, 3 Drawers | 61.00 | 1-1
- Monitor Arm | 34.40 | 1-2
- Grounding Stud Kit | 6.30 | 1-2
- Cable Tray 1 m | 9.80 | 1-2
- Bin Rail | 8.20 | 1-3

lab_benches | LB | Laboratory Equipment | a manufacturer of laboratory benches and fume cupboards
= Island Bench 3 m | 3240
= Wall Bench 1.8 m | 1764
= Sink Bench 1.2 m | 1436
= Fume Cupboard 1500 | 5180
= Balance Table | 1288
= Mobile Bench 1.5 m | 1392
- Epoxy Resin Top | 236.00 | 1-1
- Powder-Coated Frame | 148.00 | 1-1
- Base Cabinet, Two Doors | 124.00 | 1-2
- Reagent Shelf Glass | 31.50 | 1-3
- Gas Tap, Lab Grade | 27.90 | 1-3
- Polypropylene Sink | 58.00 | 1-1
- Mixer Tap, Gooseneck | 49.50 | 1-1
- Service Spine Module | 92.00 | 1-1
- Socket Strip, 6-Way | 23.80 | 1-2
- Sash Window Laminated | 138.00 | 1-1
- Levelling Foot M10 | 4.40 | 4-6
- Waste Trap, Chemical | 19.70 | 1-1
- Drawer Runner Pair | 13.40 | 2-4
- Granite Slab, Damped | 164.00 | 1-1

cable_assemblies | CB | Electrical Assemblies | a specialist for custom cable harnesses
= Servo Harness 5 m | 146
= Servo Harness 10 m | 208
= Sensor Harness M12 8-Way | 118
= Battery Harness 48 V | 264
= Ethernet Trunk 24-Core | 312
= Robot Dress Pack Cable | 428
- Shielded Motor Cable, m | 2.90 | 4-6
- Signal Cable 8 x 0.25, m | 1.75 | 3-6
- Circular Connector M23 | 14.80 | 1-2
- Circular Connector M12 | 6.40 | 1-3
- Crimp Contact Pack | 3.20 | 1-3
- Heat-Shrink Boot | 1.35 | 2-4
- Braided Sleeve, m | 1.10 | 3-6
- Strain Relief Gland | 2.25 | 2-3
- Ferrite Core | 1.95 | 1-3
- Label Sleeve Set | 0.85 | 1-3
- Fuse Holder Inline | 4.70 | 1-1
- Lug Terminal 35 mm2 | 1.60 | 2-4
- Backshell, 90 Degree | 5.60 | 1-2
- RJ45 Plug, Industrial | 4.15 | 1-4

hvac_units | HV | Climate Technology | a factory for compact air-handling units
= Air Handler 2000 m3/h | 2460
= Air Handler 3500 m3/h | 3385
= Heat Recovery Unit 500 | 1848
= Fan Coil Ducted 6 kW | 976
= Rooftop Unit 18 kW | 5240
= Dehumidifier Duct 40 l | 1592
- EC Plug Fan 310 mm | 186.00 | 1-2
- Plate Heat Exchanger | 224.00 | 1-1
- Coated Coil 3-Row | 158.00 | 1-1
- Panel Filter F7 | 17.40 | 1-3
- Pocket Filter M5 | 13.80 | 1-3
- Sandwich Panel 50 mm | 36.00 | 3-5
- Damper Actuator | 47.50 | 1-2
- Controller, Modbus | 129.00 | 1-1
- Duct Temperature Probe | 12.30 | 1-4
- Condensate Pump | 38.20 | 1-1
- Drip Tray, Stainless | 29.60 | 1-1
- Vibration Damper Set | 14.90 | 1-2
- Door Hinge Pair | 9.20 | 1-3
- Differential Pressure Switch | 21.70 | 1-2

led_fixtures | LF | Lighting | a maker of industrial and street luminaires
= High Bay 100 W | 174
= High Bay 150 W | 216
= Linear Luminaire 1500 | 128
= Street Lantern 60 W | 288
= Flood Light 200 W | 336
= Tunnel Luminaire 80 W | 402
- LED Board 50 W | 14.20 | 1-3
- Constant-Current Driver | 18.70 | 1-2
- Die-Cast Heat Sink | 21.40 | 1-1
- PMMA Lens Array | 6.80 | 1-3
- Tempered Glass Cover | 7.90 | 1-1
- Silicone Gasket | 1.60 | 1-2
- Surge Protector 10 kV | 5.30 | 1-1
- Cable Gland M20 | 1.15 | 1-3
- Mounting Yoke | 6.20 | 1-1
- Spigot Adapter 60 mm | 11.80 | 1-1
- Thermal Pad | 0.95 | 2-5
- Photocell Socket | 4.85 | 1-1
- Terminal Block, 5-Pole | 1.40 | 1-2
- Stainless Screw Kit | 0.90 | 1-3

packaging_machines | PM | Packaging Technology | a machine builder for end-of-line packaging
= Tray Sealer T2 | 5460
= Carton Erector C1 | 4890
= Stretch Wrapper W4 | 4275
= Flow Wrapper F3 | 6120
= Labeller Inline L2 | 3380
= Strapping Head S1 | 2645
- Servo Drive 1.5 kW | 312.00 | 1-3
- Touch Panel 7 in | 186.00 | 1-1
- Compact PLC | 248.00 | 1-1
- Machine Frame, Welded | 365.00 | 1-1
- Sealing Jaw Set | 142.00 | 1-2
- Pneumatic Cylinder 32 | 38.40 | 2-5
- Valve Island, 8 Stations | 154.00 | 1-1
- Safety Light Curtain | 196.00 | 1-1
- Polycarbonate Guard Door | 67.00 | 2-4
- Vacuum Cup 40 mm | 8.60 | 4-6
- Toothed Belt, Endless | 24.50 | 1-4
- Inductive Sensor M12 | 17.80 | 3-6
- Linear Guide 600 mm | 58.00 | 1-3
- Film Reel Mandrel | 76.00 | 1-2

safety_enclosures | SE | Machine Safety | a supplier of machine guards and safety cells
= Guard Cell 2 x 2 m | 2184
= Guard Cell 3 x 2 m | 2756
= Sliding Gate 1.2 m | 1128
= Noise Hood 75 dB | 3390
= Laser Cabin Class 1 | 5720
= Access Hatch Interlocked | 648
- Mesh Panel 1000 x 2000 | 46.00 | 2-5
- Corner Post 2.2 m | 28.50 | 2-4
- Floor Anchor Kit | 5.60 | 4-6
- Interlock Switch, Coded | 78.00 | 1-2
- Safety Relay | 64.50 | 1-1
- Polycarbonate Pane 6 mm | 57.00 | 1-3
- Sliding Rail 2 m | 49.00 | 1-2
- Door Handle, Escape | 33.80 | 1-1
- Emergency Stop, Yellow Box | 24.60 | 1-2
- Acoustic Lining Sheet | 38.20 | 1-4
- Signal Tower, 3 Lamps | 52.00 | 1-1
- Roller Carriage | 14.70 | 2-4
- Cable Duct 60 x 60 | 9.30 | 1-4
- Hinge, Lift-Off | 11.20 | 2-4

solar_panels | PV | Renewable Energy | an assembler of photovoltaic modules and kits
= Roof Module 410 W | 198
= Roof Module 440 W | 224
= Glass-Glass Module 400 W | 262
= Balcony Kit 800 W | 536
= Carport Module 380 W | 312
= Off-Grid Kit 1.2 kW | 1145
- Cell String, 10 Cells | 7.40 | 4-6
- Solar Glass 3.2 mm | 16.80 | 1-2
- EVA Film Sheet | 4.20 | 2-2
- Backsheet White | 6.10 | 1-1
- Anodised Frame Set | 14.30 | 1-1
- Junction Box IP68 | 5.70 | 1-1
- Bypass Diode | 0.85 | 3-3
- Connector Pair MC4 | 2.10 | 1-2
- Silicone Sealant Bead | 1.90 | 1-2
- Mounting Clamp Set | 4.90 | 1-3
- Ribbon Wire Spool Part | 2.60 | 1-3
- Micro Inverter 400 W | 68.00 | 1-2
- Earthing Washer Set | 1.20 | 1-3
- Corner Key | 0.70 | 4-4

robotic_arms | RA | Robotics | a workshop for light robot arms and grippers
= Arm A5 Tabletop | 4380
= Arm A7 Reach 900 | 5560
= Gripper Two-Finger G80 | 1246
= Gripper Vacuum V4 | 982
= Linear Axis X1500 | 2375
= Tool Changer TC20 | 1418
- Harmonic Gear 17 | 286.00 | 1-3
- Frameless Motor 200 W | 174.00 | 1-3
- Absolute Encoder | 88.00 | 1-3
- Joint Housing, Cast | 72.00 | 1-3
- Carbon Link Tube | 94.00 | 1-2
- Cross Roller Bearing | 66.00 | 1-3
- Hollow-Shaft Brake | 58.00 | 1-3
- Drive Board CAN | 103.00 | 1-3
- Wrist Flange ISO 50 | 41.00 | 1-1
- Internal Cable Set | 49.50 | 1-1
- Teach Pendant Holder | 26.00 | 1-1
- Rubber Bumper | 6.40 | 2-6
- Seal Ring NBR | 2.30 | 3-6
- Torque Sensor Strip | 112.00 | 1-2

water_filters | WF | Water Treatment | a company that makes point-of-entry water filters
= Filter Column 1.5 m3/h | 412
= Filter Column 3 m3/h | 588
= Softener Twin 20 l | 934
= UV Disinfector 40 W | 672
= Reverse Osmosis Unit 400 | 1285
= Sediment Skid Duplex | 1536
- Pressure Vessel 10 x 44 | 64.00 | 1-2
- Control Valve, Timer | 82.00 | 1-1
- Activated Carbon Bag 25 l | 33.50 | 1-2
- Ion Exchange Resin 25 l | 47.00 | 1-2
- Sediment Cartridge 5 um | 4.60 | 1-4
- Filter Housing 20 in | 18.90 | 1-3
- UV Lamp 40 W | 31.00 | 1-1
- Quartz Sleeve | 14.20 | 1-1
- Membrane 2012-400 | 58.00 | 1-2
- Booster Pump 24 V | 43.00 | 1-1
- Brass Ball Valve 1 in | 9.40 | 2-4
- Flow Sensor, Hall | 7.80 | 1-2
- Riser Tube | 5.90 | 1-2
- Pressure Gauge 10 bar | 6.70 | 1-2

elevator_parts | EL | Vertical Transport | a supplier of lift modernisation kits
= Door Operator 900 | 1685
= Car Panel Full Height | 1242
= Landing Station Set | 486
= Governor Overspeed 1.6 | 894
= Machine Brake Kit | 1960
= Car Roof Balustrade | 548
- Brushless Door Motor | 138.00 | 1-1
- Door Drive Controller | 116.00 | 1-1
- Hanger Roller | 8.70 | 2-6
- Steel Belt, Toothed | 26.00 | 1-1
- Push Button, Braille | 13.40 | 2-6
- Display TFT 5 in | 74.00 | 1-1
- Brushed Steel Plate | 48.00 | 1-3
- Governor Rope 6 mm, 30 m | 39.00 | 1-1
- Tension Weight | 27.50 | 1-1
- Brake Coil | 92.00 | 1-2
- Limit Switch, Roller | 16.80 | 1-4
- Travel Cable Clamp | 4.30 | 2-5
- Tubular Rail 2 m | 22.60 | 2-4
- Guide Shoe Insert | 6.20 | 2-4

battery_packs | BP | Energy Storage | a manufacturer of lithium battery packs
= Traction Pack 48 V 100 Ah | 1486
= Traction Pack 24 V 200 Ah | 1538
= Home Storage 5 kWh | 2390
= Rack Module 3U 2.4 kWh | 1174
= E-Bike Pack 36 V 14 Ah | 418
= Marine Pack 12 V 150 Ah | 892
- Prismatic Cell 100 Ah | 46.00 | 3-6
- BMS Board 16S | 68.00 | 1-1
- Busbar, Nickel-Plated | 2.40 | 3-6
- Aluminium Case | 57.00 | 1-1
- Contactor 150 A | 38.00 | 1-2
- Fuse 200 A | 11.60 | 1-2
- Power Connector 175 A | 13.90 | 1-2
- Insulating Spacer | 1.30 | 4-6
- Thermistor Lead | 1.95 | 2-5
- Heating Mat 60 W | 17.80 | 1-2
- Display with Shunt | 29.00 | 1-1
- Vent Membrane | 2.85 | 1-2
- Carry Handle Pair | 4.70 | 1-1
- CAN Harness | 12.20 | 1-2

air_compressors | CO | Compressed Air | a builder of piston and screw compressors
= Piston Compressor 50 l | 628
= Piston Compressor 100 l | 864
= Screw Compressor 7.5 kW | 4790
= Silent Compressor 24 l | 716
= Booster 40 bar | 3145
= Refrigeration Dryer 1 m3 | 1238
- Pump Block, Two-Stage | 138.00 | 1-1
- Electric Motor 3 kW | 124.00 | 1-1
- Air Receiver 50 l | 86.00 | 1-2
- Pressure Switch | 19.60 | 1-1
- Safety Valve 11 bar | 7.30 | 1-2
- Intake Filter | 9.10 | 1-2
- V-Belt Pair | 11.80 | 1-1
- Belt Guard | 18.40 | 1-1
- Copper Delivery Pipe | 13.70 | 1-2
- Aftercooler Core | 46.00 | 1-1
- Condensate Drain, Float | 22.50 | 1-1
- Rubber Foot Set | 6.80 | 1-1
- Oil Sight Glass | 4.20 | 1-2
- Manometer 16 bar | 5.60 | 1-3

fire_systems | FS | Fire Protection | a producer of detection and suppression equipment
= Alarm Panel 4-Loop | 1974
= Alarm Panel 2-Loop | 1328
= Suppression Cylinder 67 l | 2460
= Aspirating Detector A1 | 1186
= Hose Reel Cabinet 30 m | 512
= Sprinkler Valve Set DN80 | 1645
- Loop Card | 88.00 | 1-3
- Power Supply 24 V 5 A | 74.00 | 1-1
- Backup Battery 12 V 17 Ah | 36.00 | 2-2
- Steel Cabinet, Red | 63.00 | 1-1
- Cylinder Valve DN50 | 154.00 | 1-1
- Solenoid Actuator | 82.00 | 1-1
- Discharge Nozzle | 21.00 | 1-4
- Sampling Pipe Coupler | 3.60 | 3-6
- Laser Chamber | 142.00 | 1-1
- Hose 19 mm, 30 m | 58.00 | 1-1
- Flow Switch DN80 | 67.00 | 1-1
- Butterfly Valve, Monitored | 93.00 | 1-1
- Sounder Base | 17.40 | 1-4
- Pressure Gauge, Contact | 28.50 | 1-2

clean_rooms | CR | Cleanroom Technology | a builder of cleanroom modules and pass boxes
= Softwall Booth 2 x 2 m | 4625
= Pass Box 600 Static | 1348
= Pass Box 800 Dynamic | 2766
= Fan Filter Unit 1200 | 894
= Laminar Bench H-120 | 3580
= Air Shower Single | 5890
- HEPA Filter H14 | 118.00 | 1-3
- EC Blower 400 W | 134.00 | 1-2
- Stainless Panel 304 | 76.00 | 2-5
- Door with Interlock | 168.00 | 1-2
- PVC Curtain Strip | 9.80 | 4-6
- Profile Post 2.4 m | 27.00 | 2-4
- LED Panel, Sealed | 43.00 | 1-3
- Magnehelic Gauge | 52.00 | 1-1
- UV-C Tube | 24.50 | 1-2
- Prefilter G4 | 7.20 | 1-4
- Speed Controller | 38.00 | 1-2
- Silicone Corner Cove | 4.90 | 4-6
- Jet Nozzle | 12.40 | 4-6
- Glass Viewing Pane | 58.00 | 1-2

dock_levelers | DL | Loading Technology | a manufacturer of loading-bay equipment
= Dock Leveller 2000 x 2500 | 2896
= Dock Leveller 2000 x 3000 | 3240
= Dock Shelter Retractable | 1184
= Mini Leveller 6 t | 1465
= Wheel Guide Set | 586
= Scissor Lift 2 t | 4310
- Hydraulic Cylinder 50 | 128.00 | 1-2
- Power Pack 1.1 kW | 246.00 | 1-1
- Tread Plate 6/8 | 184.00 | 1-2
- Hinged Lip | 116.00 | 1-1
- Rubber Buffer 500 | 21.50 | 2-4
- Control Unit, Dock | 94.00 | 1-1
- Hose Kit, 2-Wire | 27.80 | 1-2
- Toe Guard Pair | 34.00 | 1-1
- Lip Pin, Chromed | 16.40 | 1-2
- Shelter Curtain | 58.00 | 2-3
- Frame Channel 2 m | 39.50 | 2-4
- Maintenance Prop | 18.20 | 1-1
- Warning Tape Set | 4.60 | 1-2
- Traffic Light, LED | 44.00 | 1-2

transformer_units | TR | Power Distribution | a winding shop for low-voltage transformers
= Isolation Transformer 5 kVA | 846
= Isolation Transformer 10 kVA | 1374
= Control Transformer 1 kVA | 268
= Medical Transformer 3 kVA | 978
= Autotransformer 16 kVA | 1186
= Reactor Three-Phase 50 A | 694
- Core Lamination Pack | 62.00 | 1-3
- Copper Wire Spool 2.0 mm | 47.00 | 1-3
- Bobbin, Glass-Filled | 11.40 | 1-3
- Insulation Paper Roll | 7.80 | 1-3
- Impregnating Resin 1 kg | 13.60 | 1-3
- Terminal Rail, 12-Pole | 8.90 | 1-2
- Steel Housing IP23 | 54.00 | 1-1
- Inrush Limiter | 23.70 | 1-1
- Thermal Switch 130 C | 4.30 | 1-3
- Mounting Bracket L | 3.90 | 2-4
- Lifting Eye M10 | 2.70 | 1-2
- Fan 120 mm, 230 V | 14.80 | 1-2
- Earth Screen Foil | 5.20 | 1-3
- Rating Plate, Engraved | 1.60 | 1-1
"""


def _cents(text: str) -> int:
    return round(float(text) * 100)


def _parse(block: str) -> Domain:
    head, *rows = block.strip().split("\n")
    key, prefix, category, company = (part.strip() for part in head.split("|"))
    cells = [[part.strip() for part in row[1:].split("|")] for row in rows]
    finished = [FinishedTemplate(c[0], _cents(c[1])) for c, row in zip(cells, rows, strict=True) if row[0] == "="]
    components = []
    for cell, row in zip(cells, rows, strict=True):
        if row[0] == "-":
            low, high = (int(part) for part in cell[2].split("-"))
            components.append(ComponentTemplate(cell[0], _cents(cell[1]), low, high))
    return Domain(key, prefix, category, company, tuple(finished), tuple(components))


@cache
def domains() -> dict[str, Domain]:
    """All domains by key, in a fixed order."""
    parsed = [_parse(block) for block in _TABLE.strip().split("\n\n")]
    return {domain.key: domain for domain in parsed}


DOMAIN_KEYS: tuple[str, ...] = tuple(re.findall(r"^([a-z_]+) \|", _TABLE, re.MULTILINE))
"""Names of the domains, in the order of the table."""
