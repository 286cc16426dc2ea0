// The vocabulary for seeded users and places. First and last names must be unique within their lists even
// when they are reduced to ASCII, because e-mail addresses are derived from them.

const splitWords = (text: string) => text.trim().split(/\s*,\s*/)

export const firstNames = splitWords(`
  Anna, Ben, Clara, David, Elif, Finn, Greta, Hassan, Ida, Jonas, Katharina, Leon, Marie, Noah, Olivia,
  Paul, Rosa, Samuel, Thea, Umut, Valentina, William, Yara, Zoë, Amir, Beatriz, Carlos, Dana, Emil, Fatima,
  Georg, Hannah, Isaac, Jürgen, Kim, Laura, Mehmet, Nadia, Oskar, Priya, Quentin, René, Sofia, Tomasz,
  Ursula, Victor, Wiebke, Xenia, Yusuf, Zuzanna, Alice, Bruno, Chiara, Dmitri, Erika, Felix, Giulia, Henry,
  Ines, Jakob
`)

export const lastNames = splitWords(`
  Müller, Smith, Schmidt, Johnson, Nguyen, Weber, García, Fischer, Williams, Meyer, Kowalski, Brown, Wagner,
  Jones, Becker, Rossi, Schulz, Miller, Hoffmann, Davis, Koch, Silva, Bauer, Wilson, Richter, Moore, Klein,
  Taylor, Wolf, Anderson, Schröder, Thomas, Neumann, Jackson, Schwarz, White, Zimmermann, Harris, Braun,
  Martin, Krüger, Thompson, Hofmann, Martinez, Hartmann, Robinson, Lange, Clark, Köhler, Young, König,
  Wright, Huber, Torres, Kaiser, Hill, Möller, Carter, Weiß, Mitchell, Yılmaz, Stewart, Kaya, Sanchez,
  Nowak, Morris, Ahmed, Rogers, Patel, Reed, Okafor, Cook, Tanaka, Morgan, O'Brien, Bell, de Vries, Murphy,
  Lindqvist, Bailey, Dubois
`)

export const departments = splitWords(`
  Engineering, Sales, Marketing, Finance, Human Resources, Legal, Customer Support, Product, Design, Operations,
  Procurement, Research, Data, Information Security, Facilities, Communications
`)

export const volunteerGroups = splitWords(
  'First Aid, Fire Wardens, Works Council, Car Pool, Mentors, Green Team',
)

export const buildingNames = splitWords(`
  Harbour House, Mill Yard, North Gate, The Foundry, Lindenhof, Bridge Point, Station Works, Old Brewery,
  Riverside, Market Hall, The Granary, Kontorhaus, Garden Court, Signal Tower, The Loft, Weavers' Row
`)

/**
 * The sites of buildings: city, time zone, start of license plates, and two streets. The demo uses the first two sites.
 */
export const sites = [
  'Berlin, Europe/Berlin, B, Köpenicker Straße, Lindenstraße',
  'New York, America/New_York, NY, Water Street, Hudson Street',
  'London, Europe/London, LD, Tooley Street, Rivington Street',
  'Lisbon, Europe/Lisbon, LX, Rua da Prata, Avenida da Liberdade',
  'Singapore, Asia/Singapore, SG, Robinson Road, Cecil Street',
  'Warsaw, Europe/Warsaw, WA, Ulica Prosta, Ulica Złota',
  'Toronto, America/Toronto, TO, King Street West, Bay Street',
  'Sydney, Australia/Sydney, SY, Kent Street, Clarence Street',
].map((line) => {
  const [city = '', timezone = '', plate = '', ...streets] = splitWords(line)
  return { city, timezone, plate, streets }
})

export const roomNames = splitWords(`
  Baltic, Amazon, Danube, Elbe, Fjord, Ganges, Hudson, Indus, Jordan, Klondike, Loire, Mekong, Nile, Oder, Po,
  Rhine, Seine, Thames, Ural, Volga, Weser, Yukon, Zambezi, Atlas, Cedar, Dune, Ember, Falcon, Granite, Heron
`)

/** The tags of bookables, by type: desks, parking spots, meeting rooms. */
export const TAGS_BY_TYPE = [
  'standing desk, window, two monitors, quiet zone, near the kitchen, docking station',
  'charging point, covered, wide, accessible',
  'video, whiteboard, projector, accessible, phone',
].map(splitWords)

export const guestReasons = splitWords(`
  Customer visit, Job interview, Audit, Workshop, Maintenance of the printers, Supplier meeting, Training day
`)

export const meetingNames = splitWords(`
  Weekly planning, Design review, Budget round, Sales forecast, Retrospective, Onboarding, Security briefing,
  Roadmap, Hiring panel, Customer call, Architecture forum, Project kick-off, All hands, One to one
`)

export const meetingDescriptions = [
  '',
  'Please read the **notes** beforehand.',
  '## Agenda\n\n1. Review of last week\n2. Open questions\n3. Next steps',
  'Slides are in the shared folder. *Bring a laptop.*',
]
