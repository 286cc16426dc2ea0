// What is wrong with a row of a list of desks, rooms and parking, in German. Values as in german-messages.ts; what such a row
// has in common with one of people is in german-import-messages.ts.

const NO_TEXT = 'darf keine Steuerzeichen und kein ungültiges Unicode enthalten.'
const EMPTY = 'oder lassen Sie den Status leer.'

export const germanRows: Record<string, string> = {
  'Row {0}: the name is required.': 'Zeile {0}: Der Name fehlt.',
  'Row {0}: the description must be at most {1} characters long.':
    'Zeile {0}: Die Beschreibung darf höchstens {1} Zeichen lang sein.',
  'Row {0}: the description must not contain control characters or invalid Unicode.': `Zeile {0}: Die Beschreibung ${NO_TEXT}`,
  'Row {0}: the tag must be at most {1} characters long.':
    'Zeile {0}: Ein Tag darf höchstens {1} Zeichen lang sein.',
  'Row {0}: the tag must not contain control characters or invalid Unicode.': `Zeile {0}: Ein Tag ${NO_TEXT}`,
  'Row {0}: there must be at most {1} tags.': 'Zeile {0}: Es dürfen höchstens {1} Tags sein.',
  'Row {0}: the type must be desk, parking spot, meeting room or home office (it is “{1}”).':
    'Zeile {0}: Die Art muss Tisch, Parkplatz, Besprechungsraum oder Homeoffice sein (sie ist „{1}“).',
  'Row {0}: the status must be free or blocked (it is “{1}”).':
    'Zeile {0}: Der Status muss frei oder gesperrt sein (er ist „{1}“).',
  'Row {0}: the capacity must be a whole number (it is “{1}”).':
    'Zeile {0}: Die Zahl der Plätze muss eine ganze Zahl sein (sie ist „{1}“).',
  'Row {0}: the need of a vehicle must be yes or no (it is “{1}”).':
    'Zeile {0}: Ob ein Fahrzeug nötig ist, muss ja oder nein sein (es ist „{1}“).',
  'Row {0}: x must be a percentage from 0 to 100 (it is “{1}”).':
    'Zeile {0}: x muss eine Zahl von 0 bis 100 Prozent sein (es ist „{1}“).',
  'Row {0}: y must be a percentage from 0 to 100 (it is “{1}”).':
    'Zeile {0}: y muss eine Zahl von 0 bis 100 Prozent sein (es ist „{1}“).',
  'Row {0}: x and y must be given together.': 'Zeile {0}: x und y müssen beide angegeben sein.',
  'Row {0}: the name was already used in row {1}.': 'Zeile {0}: Der Name steht schon in Zeile {1}.',
  'Row {0}: several in this location have this name; give each a name of its own first.':
    'Zeile {0}: In diesem Bereich gibt es den Namen mehrmals; vergeben Sie zuerst verschiedene Namen.',
  'Row {0}: it is assigned; end the assignment first, or leave the status empty.': `Zeile {0}: Zugewiesen; beenden Sie zuerst die Zuweisung, ${EMPTY}`,
  'Row {0}: it has upcoming bookings or events ({1}); block it on its own page, where you choose what becomes of them, or leave the status empty.': `Zeile {0}: Es gibt Buchungen oder Termine ({1}); sperren Sie auf der eigenen Seite, wo Sie wählen, was aus ihnen wird, ${EMPTY}`,
  'Row {0}: it has upcoming bookings or events ({1}), so it cannot be made a home office yet.':
    'Zeile {0}: Es gibt Buchungen oder Termine ({1}), deshalb kann noch kein Homeoffice daraus werden.',
  'Row {0}: it has upcoming bookings or events ({1}), so it cannot be made anything but a home office yet.':
    'Zeile {0}: Es gibt Buchungen oder Termine ({1}), deshalb muss es noch ein Homeoffice bleiben.',
  'The location of this import has been deleted.': 'Der Bereich dieses Imports wurde gelöscht.',
}
