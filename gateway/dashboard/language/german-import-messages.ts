// What is refused of people, of a file of them, and of its rows, in German. Values are {0}, {1}… in the order of the English
// sentence.
import { germanRows } from './german-rows.ts'

export const germanImportMessages: Record<string, string> = {
  ...germanRows,

  'A deactivated user has this e-mail.': 'Eine deaktivierte Person hat diese E-Mail-Adresse.',
  'A deactivated user has this UPN.': 'Eine deaktivierte Person hat diesen UPN.',
  '{0} must not contain a semicolon.': '{0} darf kein Semikolon enthalten.',
  '{0} must be active, deactivated or all.': '{0} muss aktiv, deaktiviert oder alle sein.',
  '{0} must be email, id or upn.': '{0} muss E-Mail, ID oder UPN sein.',
  'There is no user with the id {0}.': 'Es gibt keine Person mit der ID {0}.',
  'This person is an administrator. Disable the administrator first: npm run admin -- disable --email EMAIL.':
    'Diese Person ist Administrator. Deaktivieren Sie zuerst den Administrator: npm run admin -- disable --email EMAIL.',

  // A row of it.
  'Row {0}: the email is required.': 'Zeile {0}: Die E-Mail-Adresse fehlt.',
  'Row {0}: the email must be a valid e-mail address (it is “{1}”).':
    'Zeile {0}: „{1}“ ist keine gültige E-Mail-Adresse.',
  'Row {0}: the id must be a whole number (it is “{1}”).': 'Zeile {0}: Die ID „{1}“ ist keine ganze Zahl.',
  'Row {0}: the email must be at most {1} characters long.':
    'Zeile {0}: Die E-Mail-Adresse darf höchstens {1} Zeichen lang sein.',
  'Row {0}: the upn must be at most {1} characters long.':
    'Zeile {0}: Der UPN darf höchstens {1} Zeichen lang sein.',
  'Row {0}: the name must be at most {1} characters long.':
    'Zeile {0}: Der Name darf höchstens {1} Zeichen lang sein.',
  'Row {0}: the extensionAttribute{1} must be at most {2} characters long.':
    'Zeile {0}: extensionAttribute{1} darf höchstens {2} Zeichen lang sein.',
  'Row {0}: the group name must be at most {1} characters long.':
    'Zeile {0}: Der Name einer Gruppe darf höchstens {1} Zeichen lang sein.',
  'Row {0}: the license plate must be at most {1} characters long.':
    'Zeile {0}: Das Kennzeichen darf höchstens {1} Zeichen lang sein.',
  'Row {0}: the email must not contain control characters or invalid Unicode.':
    'Zeile {0}: Die E-Mail-Adresse darf keine Steuerzeichen und kein ungültiges Unicode enthalten.',
  'Row {0}: the upn must not contain control characters or invalid Unicode.':
    'Zeile {0}: Der UPN darf keine Steuerzeichen und kein ungültiges Unicode enthalten.',
  'Row {0}: the name must not contain control characters or invalid Unicode.':
    'Zeile {0}: Der Name darf keine Steuerzeichen und kein ungültiges Unicode enthalten.',
  'Row {0}: the extensionAttribute{1} must not contain control characters or invalid Unicode.':
    'Zeile {0}: extensionAttribute{1} darf keine Steuerzeichen und kein ungültiges Unicode enthalten.',
  'Row {0}: the group name must not contain control characters or invalid Unicode.':
    'Zeile {0}: Der Name einer Gruppe darf keine Steuerzeichen und kein ungültiges Unicode enthalten.',
  'Row {0}: the license plate must not contain control characters or invalid Unicode.':
    'Zeile {0}: Das Kennzeichen darf keine Steuerzeichen und kein ungültiges Unicode enthalten.',
  'Row {0}: {1} more error.': 'Zeile {0}: {1} weiterer Fehler.',
  'Row {0}: {1} more errors.': 'Zeile {0}: {1} weitere Fehler.',
  'Row {0}: this user was already named by row {1}.': 'Zeile {0}: Diese Person steht schon in Zeile {1}.',
  'Row {0}: the email was already named by row {1} (it is “{2}”).':
    'Zeile {0}: Die E-Mail-Adresse „{2}“ steht schon in Zeile {1}.',
  'Row {0}: the email belongs to another user (it is “{1}”).':
    'Zeile {0}: Die E-Mail-Adresse „{1}“ gehört einer anderen Person.',
  'Row {0}: the name is required for a new user.': 'Zeile {0}: Für eine neue Person fehlt der Name.',

  // Its columns.
  'The file has the column “{0}” twice.': 'Die Datei hat die Spalte „{0}“ zweimal.',
  'The file has no column “{0}”.': 'Die Datei hat keine Spalte „{0}“.',
  'The file has no column “{0}”. It begins with {1}.':
    'Die Datei hat keine Spalte „{0}“. Sie beginnt mit {1}.',
  'The file has no column “{0}”. It begins with {1} and {2} more.':
    'Die Datei hat keine Spalte „{0}“. Sie beginnt mit {1} und {2} weiteren.',
  'The first row of the file must contain the column names, including “{0}”.':
    'In der ersten Zeile der Datei müssen die Namen der Spalten stehen, auch „{0}“.',
  'The first row of the file must contain the column names, including “{0}”. It begins with {1}.':
    'In der ersten Zeile der Datei müssen die Namen der Spalten stehen, auch „{0}“. Sie beginnt mit {1}.',
  'The first row of the file must contain the column names, including “{0}”. It begins with {1} and {2} more.':
    'In der ersten Zeile der Datei müssen die Namen der Spalten stehen, auch „{0}“. Sie beginnt mit {1} und {2} weiteren.',
  'The file has no rows. With “deactivate”, it would deactivate everybody.':
    'Die Datei hat keine Zeilen. Alle Personen würden deaktiviert.',

  // What it is.
  'The file is a PDF. Send csv, txt, ods, xls or xlsx.':
    'Die Datei ist ein PDF. Senden Sie csv, txt, ods, xls oder xlsx.',
  'The file is a text document (RTF). Send csv, txt, ods, xls or xlsx.':
    'Die Datei ist ein Textdokument (RTF). Senden Sie csv, txt, ods, xls oder xlsx.',
  'The file is an HTML page. Send csv, txt, ods, xls or xlsx.':
    'Die Datei ist eine HTML-Seite. Senden Sie csv, txt, ods, xls oder xlsx.',
  'The file is an XML document. Send csv, txt, ods, xls or xlsx.':
    'Die Datei ist ein XML-Dokument. Senden Sie csv, txt, ods, xls oder xlsx.',
  'The file is an archive, but not a spreadsheet. Send csv, txt, ods, xls or xlsx.':
    'Die Datei ist ein Archiv, aber keine Tabelle. Senden Sie csv, txt, ods, xls oder xlsx.',
  'The file is an old Office document, but not a spreadsheet. Send csv, txt, ods, xls or xlsx.':
    'Die Datei ist ein altes Office-Dokument, aber keine Tabelle. Senden Sie csv, txt, ods, xls oder xlsx.',
  'The file is not a csv, txt, ods, xls or xlsx file: it contains NUL bytes.':
    'Die Datei ist weder csv, txt, ods, xls noch xlsx: Sie enthält NUL-Bytes.',
  'The file is not valid {0}.': 'Die Datei ist kein gültiges {0}.',
  'The file has no visible sheet.': 'Die Datei hat kein sichtbares Tabellenblatt.',
  'The file is protected by a password. Save it without a password.':
    'Die Datei ist mit einem Passwort geschützt. Speichern Sie sie ohne Passwort.',
  'The file contains a document type (DOCTYPE), which spreadsheets do not need.':
    'Die Datei enthält einen Dokumenttyp (DOCTYPE), den Tabellen nicht brauchen.',
  'Row {0} of the file has a quote that is never closed.':
    'Zeile {0} der Datei hat ein Anführungszeichen, das nie geschlossen wird.',

  // Damaged ones.
  'The file could not be read: it is damaged.': 'Die Datei war nicht zu lesen: Sie ist beschädigt.',
  'The file could not be read: it is damaged or incomplete.':
    'Die Datei war nicht zu lesen: Sie ist beschädigt oder unvollständig.',
  'The file is damaged: row {0} comes after row {1}.':
    'Die Datei ist beschädigt: Zeile {0} kommt nach Zeile {1}.',
  'The file is damaged: a cell has no column.': 'Die Datei ist beschädigt: Eine Zelle hat keine Spalte.',
  'The file is damaged: a row has no number.': 'Die Datei ist beschädigt: Eine Zeile hat keine Nummer.',
  'The file is damaged: it has no content.': 'Die Datei ist beschädigt: Sie hat keinen Inhalt.',
  'The file is damaged: it contains a part twice.':
    'Die Datei ist beschädigt: Sie enthält einen Teil zweimal.',
  'The file is damaged: it repeats a cell or row too often.':
    'Die Datei ist beschädigt: Sie wiederholt eine Zelle oder Zeile zu oft.',

  // Too large ones.
  'The file is larger than 256 MB, which is the limit.': 'Die Datei ist größer als die erlaubten 256 MB.',
  'The file unpacks to more than 1 GB, which is the limit.':
    'Die Datei ist entpackt größer als das erlaubte 1 GB.',
  'The file unpacks to more than 200 times its size, which is the limit.':
    'Die Datei ist entpackt mehr als 200-mal so groß; mehr ist nicht erlaubt.',
  'The texts in the file are larger than 128 MB, which is the limit.':
    'Die Texte in der Datei sind größer als die erlaubten 128 MB.',
  'A text in the file is longer than 1,000,000 characters, which is the limit.':
    'Ein Text in der Datei ist länger als die erlaubten 1.000.000 Zeichen.',
  'Row {0} of the file is longer than 1,000,000 characters, which is the limit.':
    'Zeile {0} der Datei ist länger als die erlaubten 1.000.000 Zeichen.',
  'The file has more than 1,048,576 rows, which is the limit.':
    'Die Datei hat mehr als die erlaubten 1.048.576 Zeilen.',
  'The file has more than {0},{1} rows, which is the limit.':
    'Die Datei hat mehr als die erlaubten {0}.{1} Zeilen.',
  'The file has more than {0} rows, which is the limit.': 'Die Datei hat mehr als die erlaubten {0} Zeilen.',
  'The file has more than 16,384 columns, which is the limit.':
    'Die Datei hat mehr als die erlaubten 16.384 Spalten.',
  'The file has more than 10,000 parts, which is the limit.':
    'Die Datei hat mehr als die erlaubten 10.000 Teile.',
  'The file is nested more than 256 levels deep, which is the limit.':
    'Die Datei ist tiefer verschachtelt als die erlaubten 256 Ebenen.',
  'The file needs too much memory to read. Send fewer rows at a time, or send csv or xlsx.':
    'Die Datei braucht zum Lesen zu viel Speicher. Senden Sie weniger Zeilen auf einmal oder csv oder xlsx.',
  'Reading the file takes longer than {0} seconds, which is the limit.':
    'Die Datei zu lesen dauert länger als die erlaubten {0} Sekunden.',
  'Reading the file takes longer than allowed.': 'Die Datei zu lesen dauert länger als erlaubt.',

  // When it is.
  'The file is no longer stored: it has been applied, or it is older than 24 hours.':
    'Die Datei ist nicht mehr da: Sie wurde übernommen oder ist älter als 24 Stunden.',
  'The rows of this import are no longer stored.': 'Die Zeilen dieses Imports sind nicht mehr da.',
}
