// What the files of this folder say, in German.
import type { Catalog } from '../../language/translate.ts'

export const german: Catalog = {
  'Import desks, rooms or parking': 'Tische, Räume oder Parkplätze importieren',
  'Import from a file': 'Aus Datei importieren',
  'A csv, txt, ods, xls or xlsx file of up to {0} rows and {1}.':
    'Eine Datei im Format csv, txt, ods, xls oder xlsx mit bis zu {0} Zeilen und {1}.',
  'Begin with {0}: each row is a desk, a room or a parking spot. Its first row has the names of the columns:':
    'Beginnen Sie mit {0}: Jede Zeile ist ein Tisch, ein Raum oder ein Parkplatz. In der ersten Zeile stehen die Namen der Spalten:',
  'the template': 'der Vorlage',
  '{0} is required. What has this name here already is changed, and everything else is added.':
    '{0} ist erforderlich. Was hier schon so heißt, wird geändert; alles andere wird hinzugefügt.',
  '{0}: desk, parking spot, meeting room or home office. Without one, it is a desk.':
    '{0}: Tisch, Parkplatz, Besprechungsraum oder Homeoffice. Ohne Angabe ist es ein Tisch.',
  '{0}, separated by commas or semicolons, and {1}.': '{0}, durch Kommas oder Semikolons getrennt, und {1}.',
  '{0}: free or blocked.': '{0}: frei oder gesperrt.',
  '{0}: the number of seats in a room.': '{0}: die Zahl der Plätze in einem Raum.',
  '{0}: yes, where bookings need the license plate of a vehicle.':
    '{0}: ja, wenn Buchungen das Kennzeichen eines Fahrzeugs brauchen.',
  '{0} and {1}: the position on the floor plan, in percent from its left and from its top.':
    '{0} und {1}: die Position auf dem Grundriss, in Prozent von links und von oben.',
  'Empty cells and missing columns leave everything as it is. Nothing is deleted.':
    'Leere Zellen und fehlende Spalten ändern nichts. Nichts wird gelöscht.',

  'Import into {0}, started by {1} {2}.': 'Import in {0}, gestartet von {1} {2}.',
  'Something here has changed since your review, so the import would now do something else. Please review it again.':
    'Hier hat sich seit Ihrer Prüfung etwas geändert, sodass der Import jetzt etwas anderes täte. Bitte prüfen Sie ihn noch einmal.',
  'View desks, rooms and parking': 'Tische, Räume und Parkplätze ansehen',
  'Nothing new.': 'Nichts Neues.',
  Position: 'Position',
  '# rows were added.': { one: '# Zeile wurde hinzugefügt.', other: '# Zeilen wurden hinzugefügt.' },
  '# rows will be added.': { one: '# Zeile wird hinzugefügt.', other: '# Zeilen werden hinzugefügt.' },
  '# rows were changed.': { one: '# Zeile wurde geändert.', other: '# Zeilen wurden geändert.' },
  '# rows will be changed.': { one: '# Zeile wird geändert.', other: '# Zeilen werden geändert.' },
  '# rows have no changes.': { one: '# Zeile ändert nichts.', other: '# Zeilen ändern nichts.' },
  '# rows have errors.': { one: '# Zeile hat Fehler.', other: '# Zeilen haben Fehler.' },
}
