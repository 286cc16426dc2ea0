// What workers refuse and the gateway tells of itself, in German. Values are {0}, {1}… in the order of the English sentence.

export const germanRefusals: Record<string, string> = {
  // Moments and spans of time, as they stand in other messages.
  'from {0} to {1} UTC on {2}': 'am {2} von {0} bis {1} UTC',
  'from {0} UTC on {1} to {2} UTC on {3}': 'vom {1}, {0} UTC, bis zum {3}, {2} UTC',
  'from {0} UTC on {1} with no end': 'ab dem {1}, {0} UTC, ohne Ende',
  '{0} UTC on {1}': '{1}, {0} UTC',
  '1 booking': '1 Buchung',
  '{0} bookings': '{0} Buchungen',
  '1 upcoming booking': '1 kommende Buchung',
  '{0} upcoming bookings': '{0} kommende Buchungen',
  '1 bookable': '1 Tisch oder Raum',
  '{0} bookables': '{0} Tische und Räume',
  '1 location': '1 Bereich',
  '{0} locations': '{0} Bereiche',
  '1 day': '1 Tag',
  '{0} days': '{0} Tage',
  '1 hour': '1 Stunde',
  '{0} hours': '{0} Stunden',
  '1 minute': '1 Minute',
  '{0} minutes': '{0} Minuten',
  '{0} and {1} more': '{0} und {1} weitere',

  // Titles of failures.
  'Authentication required': 'Anmeldung erforderlich',
  'Not found': 'Nicht gefunden',
  'Method not allowed': 'Methode nicht erlaubt',
  'Malformed body': 'Fehlerhafter Inhalt',
  'Unsupported media type': 'Nicht unterstützter Medientyp',
  'Too large': 'Zu groß',
  'URL too long': 'Adresse zu lang',
  'Headers too large': 'Header zu groß',
  'Validation failed': 'Ungültige Angaben',
  'Booking conflict': 'Buchungskonflikt',
  'Bookable blocked': 'Gesperrt',
  'Bookable assigned': 'Zugewiesen',
  Closed: 'Geschlossen',
  'Outside opening hours': 'Außerhalb der Öffnungszeiten',
  'Too far ahead': 'Zu weit im Voraus',
  'Too short': 'Zu kurz',
  'Too long': 'Zu lang',
  'Too many bookings': 'Zu viele Buchungen',
  'Already booked': 'Bereits gebucht',
  'Not for this user': 'Nicht für diese Person',
  'Too early to check in': 'Zu früh zum Einchecken',
  'Booking ended': 'Buchung beendet',
  'Webhook disabled': 'Webhook abgeschaltet',
  'Event cancelled': 'Termin abgesagt',
  'Event ended': 'Termin beendet',
  'Changed meanwhile': 'Inzwischen geändert',
  'Import running': 'Import läuft',
  'In use': 'In Benutzung',
  'Too many requests': 'Zu viele Anfragen',
  'Idempotency key reused': 'Idempotenzschlüssel schon benutzt',
  'Idempotency key in use': 'Idempotenzschlüssel in Benutzung',
  'Not executed': 'Nicht ausgeführt',
  Unavailable: 'Nicht erreichbar',
  'Outcome unknown': 'Ergebnis unbekannt',
  'Internal error': 'Interner Fehler',

  // The service itself.
  'Postgres is not responding.': 'Postgres antwortet nicht.',
  'Redis is not responding.': 'Redis antwortet nicht.',
  'The migrations could not be read.': 'Die Migrationen konnten nicht gelesen werden.',
  'Pending migrations: {0}': 'Ausstehende Migrationen: {0}',
  'Timed out.': 'Keine Antwort in der vorgesehenen Zeit.',
  'Its workers stopped responding': 'Seine Worker antworten nicht mehr',
  'There is no job': 'Diesen Auftrag gibt es nicht',
  'Not a valid payload': 'Ungültiger Inhalt',
  'Left undone: its deadline has passed': 'Nicht ausgeführt: Die Frist ist abgelaufen',
  'Left undone: its caller has already been told that it failed':
    'Nicht ausgeführt: Der Fehlschlag wurde bereits gemeldet',
  'Left undone: it was called off': 'Nicht ausgeführt: Er wurde zurückgezogen',
  'An unexpected error occurred. The log has the details under this request_id.':
    'Ein unerwarteter Fehler ist aufgetreten. Einzelheiten stehen im Log unter dieser Anfrage-ID.',
  'An unexpected error occurred. The log has the details under request ID {0}.':
    'Ein unerwarteter Fehler ist aufgetreten. Einzelheiten stehen im Log unter der Anfrage-ID {0}.',
  'The path {0} does not exist.': 'Die Adresse {0} gibt es nicht.',
  '{0} is not supported here. Supported methods: {1}.':
    '{0} wird hier nicht unterstützt. Unterstützte Methoden: {1}.',
  'This form does not belong to this page.': 'Dieses Formular gehört nicht zu dieser Seite.',
  'There is no such file of this page.': 'Diese Datei hat die Seite nicht.',
  'There is no such part of this page.': 'Diesen Teil hat die Seite nicht.',
  'This form must be sent with a file.': 'Dieses Formular muss mit einer Datei gesendet werden.',
  'Choose a file.': 'Wählen Sie eine Datei.',
  'The file is larger than {0}.': 'Die Datei ist größer als {0}.',
  'The body is larger than {0}.': 'Das Formular ist größer als {0}.',
  'The file is empty.': 'Die Datei ist leer.',
  'Too many people are signing in right now. Try again shortly.':
    'Gerade melden sich zu viele Personen an. Versuchen Sie es gleich noch einmal.',
  'Too many failed sign-in attempts. Try again in {0}.':
    'Zu viele Anmeldungen sind fehlgeschlagen. Versuchen Sie es in {0} noch einmal.',
  'Too many failed sign-in attempts for this account. Try again shortly, or use a browser in which you have signed in before.':
    'Für dieses Konto sind zu viele Anmeldungen fehlgeschlagen. Versuchen Sie es gleich noch einmal, oder nehmen Sie einen Browser, in dem Sie schon angemeldet waren.',
  'Too many {0} are waiting. Nothing was changed; try again shortly.':
    'Zu viele Anfragen warten. Nichts wurde geändert; versuchen Sie es gleich noch einmal.',
  'Too many requests are waiting for the database. Nothing was changed; try again shortly.':
    'Zu viele Anfragen warten auf die Datenbank. Nichts wurde geändert; versuchen Sie es gleich noch einmal.',
  'The database is unavailable. Nothing was changed; try again shortly.':
    'Die Datenbank ist nicht erreichbar. Nichts wurde geändert; versuchen Sie es gleich noch einmal.',
  'The database did not answer in time. Nothing was changed; try again shortly.':
    'Die Datenbank hat nicht rechtzeitig geantwortet. Nichts wurde geändert; versuchen Sie es gleich noch einmal.',
  'The {0} queue is unavailable. Nothing was changed; try again shortly.':
    'Die Warteschlange ist nicht erreichbar. Nichts wurde geändert; versuchen Sie es gleich noch einmal.',
  'The {0} queue is unavailable. Nothing was changed.':
    'Die Warteschlange ist nicht erreichbar. Nichts wurde geändert.',
  '{0}, so the {1} was called off: nothing was changed, and nothing will be.':
    'Es wurde nicht rechtzeitig ausgeführt und zurückgezogen: Nichts wurde geändert, und nichts wird geändert.',
  'It is unknown whether the {0} was done. Repeat it with the same Idempotency-Key to find out.':
    'Es ist nicht bekannt, ob es geschehen ist. Senden Sie das Formular noch einmal, um es zu erfahren.',
  'The first request with this Idempotency-Key is still in progress.':
    'Das zuerst gesendete Formular wird noch bearbeitet.',
  'Too many maps are being drawn. Try again shortly.':
    'Gerade werden zu viele Karten gezeichnet. Versuchen Sie es gleich noch einmal.',
  'An import is running. Try again when it has finished.':
    'Ein Import läuft. Versuchen Sie es noch einmal, wenn er fertig ist.',

  // What is not there.
  'There is no active user with this id.': 'Es gibt keine aktive Person mit dieser ID.',
  'There is no user with this id.': 'Es gibt keine Person mit dieser ID.',
  'There is no booking with this id.': 'Es gibt keine Buchung mit dieser ID.',
  'There is no bookable with this id.': 'Es gibt keinen Tisch oder Raum mit dieser ID.',
  'There is no location with this id.': 'Es gibt keinen Bereich mit dieser ID.',
  'There is no building with this id.': 'Es gibt kein Gebäude mit dieser ID.',
  'There is no event with this id.': 'Es gibt keinen Termin mit dieser ID.',
  'There is no series with this id.': 'Es gibt keine Serie mit dieser ID.',
  'There is no webhook with this id.': 'Es gibt keinen Webhook mit dieser ID.',
  'There is no delivery with this id.': 'Es gibt keine Zustellung mit dieser ID.',
  'There is no administrator with this id.': 'Es gibt keinen Administrator mit dieser ID.',
  'There is no token with this id.': 'Es gibt kein Token mit dieser ID.',
  'There is no token with this id, or it is revoked.':
    'Es gibt kein Token mit dieser ID, oder es wurde widerrufen.',
  'There is no calendar with this id.': 'Es gibt keinen Kalender mit dieser ID.',
  'There is no {0} with the id {1}.': 'Es gibt nichts mit der ID {1}.',
  'There is no group with the id {0}.': 'Es gibt keine Gruppe mit der ID {0}.',
  'There is no building with the id {0}.': 'Es gibt kein Gebäude mit der ID {0}.',
  'There is no deactivated user with the id {0}.': 'Es gibt keine deaktivierte Person mit der ID {0}.',
  'There is no {0} with this id.': 'Es gibt nichts mit dieser ID.',
  'There is no {0} with this e-mail.': 'Es gibt niemanden mit dieser E-Mail-Adresse.',
  'This is not the e-mail of the {0} with this id.':
    'Diese E-Mail-Adresse gehört nicht zu der Person oder dem Raum mit dieser ID.',
}
