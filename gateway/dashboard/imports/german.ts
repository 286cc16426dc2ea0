// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  // The first step.
  'Import people': 'Personen importieren',
  'You first see what the import would change. Nothing changes until you apply it.':
    'Sie sehen zuerst, was der Import ändern würde. Nichts ändert sich, bevor Sie ihn übernehmen.',
  'Import file': 'Importdatei',
  'A csv, txt, ods, xls or xlsx file. Its first row with anything in it holds the column names: {0} is required; {1}, {2}, {3}, {4}, {5} and {6} to {7} are optional. An exported file works too.':
    'Eine Datei im Format csv, txt, ods, xls oder xlsx. In der ersten Zeile, in der etwas steht, stehen die Namen der Spalten: {0} ist erforderlich; {1}, {2}, {3}, {4}, {5} und {6} bis {7} sind optional. Auch eine exportierte Datei eignet sich.',
  'Update existing people': 'Vorhandene Personen aktualisieren',
  'Otherwise only new people are added. Columns that the file does not have are left unchanged.':
    'Sonst werden nur neue Personen hinzugefügt. Angaben, für die die Datei keine Spalte hat, bleiben unverändert.',
  'Restore deactivated people who are in the file':
    'Deaktivierte Personen wiederherstellen, die in der Datei stehen',
  'Otherwise they stay deactivated, and their rows are skipped.':
    'Sonst bleiben sie deaktiviert, und ihre Zeilen werden übersprungen.',
  'Deactivate people who are not in the file': 'Personen deaktivieren, die nicht in der Datei stehen',
  'Only if the file lists everybody. While a row with errors matches nobody known, nobody is deactivated. Bookings of deactivated people stay until you release them.':
    'Nur wenn alle in der Datei stehen. Solange eine Zeile mit Fehlern zu keiner bekannten Person passt, wird niemand deaktiviert. Buchungen deaktivierter Personen bleiben, bis Sie sie freigeben.',
  'Match people by': 'Personen zuordnen nach',
  'By ID or UPN, the file can change e-mail addresses. Rows without one are matched by e-mail.':
    'Bei einer Zuordnung nach ID oder UPN kann die Datei auch E-Mail-Adressen ändern. Zeilen ohne ID oder UPN werden nach der E-Mail zugeordnet.',
  Review: 'Prüfen',

  // The latest imports.
  'Recent imports': 'Letzte Importe',
  Imports: 'Importe',
  'No imports in the last seven days.': 'Keine Importe in den letzten sieben Tagen.',
  'Another import is running, started through the API. Yours starts when it is done.':
    'Gerade läuft ein anderer Import, der über die API gestartet wurde. Ihrer beginnt, wenn er fertig ist.',
  File: 'Datei',
  'unnamed file': 'Datei ohne Namen',
  '(API)': '(API)',
  Started: 'Gestartet',

  // How far an import is.
  applied: 'übernommen',
  'dry run': 'Probelauf',
  'ready to apply': 'bereit zum Übernehmen',
  'Waiting for a worker': 'Wartet auf einen Worker',
  Working: 'In Arbeit',
  'Reading the file': 'Die Datei wird gelesen',
  'Waiting for other imports': 'Wartet auf andere Importe',
  'Comparing with existing people': 'Abgleich mit vorhandenen Personen',
  'Comparing with what is there': 'Abgleich mit dem Vorhandenen',
  'Applying changes': 'Die Änderungen werden übernommen',
  Writing: 'Die Datei wird geschrieben',
  'Rows read: {0}.': 'Gelesene Zeilen: {0}.',
  'Nothing has been changed yet.': 'Noch wurde nichts geändert.',
  'Either all changes are applied or none.': 'Entweder werden alle Änderungen übernommen oder keine.',
  'You can leave this page and come back later.': 'Sie können die Seite verlassen und später wiederkommen.',
  Refresh: 'Neu laden',
  'Done.': 'Fertig.',

  // What it was asked to do.
  Import: 'Import',
  'This import does not exist, or it is more than seven days old.':
    'Diesen Import gibt es nicht, oder er ist mehr als sieben Tage alt.',
  'Started by {0} {1}.': 'Gestartet von {0} {1}.',
  'This import {0}.': 'Dieser Import {0}.',
  'adds new people': 'fügt neue Personen hinzu',
  'updates existing ones': 'aktualisiert vorhandene',
  'restores deactivated ones': 'stellt deaktivierte wieder her',
  'deactivates people who are not in the file': 'deaktiviert Personen, die nicht in der Datei stehen',
  'People are matched by e-mail.': 'Personen werden nach der E-Mail zugeordnet.',
  'People are matched by ID.': 'Personen werden nach der ID zugeordnet.',
  'People are matched by UPN.': 'Personen werden nach dem UPN zugeordnet.',

  // What it would do, or did.
  '# people will be added': {
    one: '# Person wird hinzugefügt',
    other: '# Personen werden hinzugefügt',
  },
  '# people were added': { one: '# Person wurde hinzugefügt', other: '# Personen wurden hinzugefügt' },
  '{0} added': '{0} hinzugefügt',
  '# people will be changed': { one: '# Person wird geändert', other: '# Personen werden geändert' },
  '# people were changed': { one: '# Person wurde geändert', other: '# Personen wurden geändert' },
  '{0} changed': '{0} geändert',
  '# people will be deactivated': {
    one: '# Person wird deaktiviert',
    other: '# Personen werden deaktiviert',
  },
  '# people were deactivated': {
    one: '# Person wurde deaktiviert',
    other: '# Personen wurden deaktiviert',
  },
  '{0} deactivated': '{0} deaktiviert',
  '# rows skipped': { one: '# Zeile übersprungen', other: '# Zeilen übersprungen' },
  '# rows with errors': { one: '# Zeile mit Fehlern', other: '# Zeilen mit Fehlern' },
  'Apply: {0}': 'Übernehmen: {0}',
  'add {0}': '{0} hinzufügen',
  'change {0}': '{0} ändern',
  'deactivate {0}': '{0} deaktivieren',
  'Rows with errors are left out.': 'Zeilen mit Fehlern werden ausgelassen.',
  'The unknown column {0} is ignored.': 'Die unbekannte Spalte {0} wird nicht beachtet.',
  'The unknown columns {0} are ignored.': 'Die unbekannten Spalten {0} werden nicht beachtet.',
  'Nobody will be deactivated.': 'Niemand wird deaktiviert.',
  'The file has the column “{0}”: it holds rows that another import refused, and does not list everybody. To deactivate people, import the whole list without this column.':
    'Die Datei hat die Spalte „{0}“: Sie enthält Zeilen, die ein anderer Import abgelehnt hat, und nennt nicht alle. Um Personen zu deaktivieren, importieren Sie die ganze Liste ohne diese Spalte.',
  '# rows with errors match no known person, and could be anybody’s. Fix these rows first, and import the whole list again.':
    {
      one: '# Zeile mit Fehlern passt zu keiner bekannten Person und kann zu jeder gehören. Korrigieren Sie zuerst diese Zeile und importieren Sie dann die ganze Liste noch einmal.',
      other:
        '# Zeilen mit Fehlern passen zu keiner bekannten Person und können zu jeder gehören. Korrigieren Sie zuerst diese Zeilen und importieren Sie dann die ganze Liste noch einmal.',
    },
  '# people are only in rows with errors, and are not deactivated.': {
    one: '# Person steht nur in einer Zeile mit Fehlern und wird nicht deaktiviert.',
    other: '# Personen stehen nur in Zeilen mit Fehlern und werden nicht deaktiviert.',
  },
  'Nothing to apply.': 'Es gibt nichts zu übernehmen.',
  'Import applied.': 'Import übernommen.',
  'View people': 'Personen ansehen',
  'Bookings and desks of deactivated people': 'Buchungen und Tische deaktivierter Personen',

  // Where it goes no further.
  'Not yours': 'Nicht Ihr Import',
  'Only {0}, who uploaded the file, can apply this import.':
    'Nur wer die Datei hochgeladen hat, kann diesen Import übernehmen: {0}.',
  'This import has expired: it was already applied, or its file was uploaded more than 24 hours ago. Upload the file again.':
    'Dieser Import ist abgelaufen: Er wurde schon übernommen, oder seine Datei wurde vor mehr als 24 Stunden hochgeladen. Laden Sie die Datei noch einmal hoch.',
  'This import has expired.': 'Dieser Import ist abgelaufen.',
  'Upload the file again': 'Datei noch einmal hochladen',
  'This import has already been submitted.': 'Dieser Import wurde schon abgeschickt.',
  'View the result': 'Ergebnis ansehen',
  'The rows of this import are no longer available.': 'Die Zeilen dieses Imports sind nicht mehr da.',
  'Nothing was changed.': 'Nichts wurde geändert.',
  'People have changed since your review, so the import would now do something else. Please review it again.':
    'Seit Sie den Import geprüft haben, wurden Personen geändert; er würde jetzt etwas anderes tun. Bitte prüfen Sie ihn noch einmal.',
  'The import failed.': 'Der Import ist fehlgeschlagen.',
  'Choose another file': 'Andere Datei wählen',

  // Its rows, section by section.
  'Import plan': 'Plan des Imports',
  'To add': 'Neu',
  'To change': 'Zu ändern',
  Errors: 'Fehler',
  Skipped: 'Übersprungen',
  'To deactivate': 'Zu deaktivieren',
  'No new people.': 'Keine neuen Personen.',
  'No changes.': 'Keine Änderungen.',
  'No errors.': 'Keine Fehler.',
  'No rows skipped.': 'Keine Zeile wird übersprungen.',
  'Nobody is deactivated.': 'Niemand wird deaktiviert.',
  'No changes': 'Keine Änderungen',
  'Already exists, and updating is off': 'Schon vorhanden, und Aktualisieren ist aus',
  'Deactivated, and restoring is off': 'Deaktiviert, und Wiederherstellen ist aus',
  'A known person, who is not deactivated': 'Eine bekannte Person, die nicht deaktiviert wird',
  'No known person': 'Keine bekannte Person',
  'Download these rows with their errors: {0}, {1}. Fix them in the file and import it again.':
    'Diese Zeilen mit ihren Fehlern herunterladen: {0}, {1}. Korrigieren Sie sie in der Datei und importieren Sie sie noch einmal.',
  Row: 'Zeile',
  'no name': 'ohne Namen',
  Changes: 'Änderungen',
  Match: 'Zuordnung',
}
