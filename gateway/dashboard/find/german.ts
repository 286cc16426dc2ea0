// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  Find: 'Suchen',
  'People, desks and rooms, places, a booking by its number, and pages.':
    'Personen, Tische und Räume, Orte, Buchungen nach ihrer Nummer und Seiten.',
  'Name or number': 'Name oder Nummer',
  'Nothing found.': 'Nichts gefunden.',
  'Try fewer or shorter words.': 'Versuchen Sie weniger oder kürzere Wörter.',
  'Booking {0}': 'Buchung {0}',

  // Pages that are called otherwise there.
  'Add a person': 'Person hinzufügen',
  'Deactivated people': 'Deaktivierte Personen',
}
