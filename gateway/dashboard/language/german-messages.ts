// What forms, the API and workers say of a value or refuse, in German. Values are {0}, {1}… in the order of the English
// sentence. The other german-….ts files of this folder have what is refused of bookings, of places, and of a file of people;
// german-refusals.ts has what is not found, and what the service tells of itself.
import { germanBookingMessages } from './german-booking-messages.ts'
import { germanImportMessages } from './german-import-messages.ts'
import { germanPlaceMessages } from './german-place-messages.ts'
import { germanRefusals } from './german-refusals.ts'

export const germanMessages: Record<string, string> = {
  ...germanRefusals,
  ...germanBookingMessages,
  ...germanImportMessages,
  ...germanPlaceMessages,

  // What a field must be.
  '{0} is required.': '{0} fehlt.',
  '{0} must not be empty.': '{0} darf nicht leer sein.',
  '{0} must not be null.': '{0} fehlt.',
  '{0} must be a string.': '{0} muss ein Text sein.',
  '{0} must not contain control characters or invalid Unicode.':
    '{0} darf keine Steuerzeichen und kein ungültiges Unicode enthalten.',
  '{0} must be at least {1} characters long.': '{0} muss mindestens {1} Zeichen lang sein.',
  '{0} must be at most {1} characters long.': '{0} darf höchstens {1} Zeichen lang sein.',
  '{0} must be a valid e-mail address.': '{0} muss eine gültige E-Mail-Adresse sein.',
  '{0} must be a whole number from {1} to {2}.': '{0} muss eine ganze Zahl von {1} bis {2} sein.',
  '{0} must be a whole number above 0.': '{0} muss eine ganze Zahl über 0 sein.',
  '{0} must be a whole number of at least {1}.': '{0} muss eine ganze Zahl ab {1} sein.',
  '{0} must be a number from 0 to 100.': '{0} muss eine Zahl von 0 bis 100 sein.',
  '{0} must be a number from 0 to 1.': '{0} muss eine Zahl von 0 bis 1 sein.',
  '{0} must be true or false.': '{0} muss ja oder nein sein.',
  '{0} must be an id.': '{0} muss eine ID sein.',
  '{0} must be a UUID.': '{0} muss eine UUID sein.',
  '{0} must be an array.': '{0} muss eine Liste sein.',
  '{0} must have at most {1} items.': '{0} darf höchstens {1} Einträge haben.',
  '{0} must have at most {1} bookables.': '{0} darf höchstens {1} Räume haben.',
  '{0} must be one of the choices.': '{0} muss eine der Möglichkeiten sein.',
  '{0} must be one of {1}.': '{0} muss eine dieser Angaben sein: {1}.',
  '{0} must be waiting or chosen.': '{0} muss eine der beiden Möglichkeiten sein.',
  'Up to {0} can be placed at once.': 'Es können höchstens {0} auf einmal platziert werden.',
  '{0} must be a date and a time, such as 2026-11-20T09:00.':
    '{0} muss Datum und Uhrzeit sein, zum Beispiel 2026-11-20T09:00.',
  '{0} must be a date, such as 2026-11-20.': '{0} muss ein Datum sein, zum Beispiel 2026-11-20.',
  '{0} must be a date such as 2026-11-20.': '{0} muss ein Datum sein, zum Beispiel 2026-11-20.',
  '{0} must be a time, such as 09:30.': '{0} muss eine Uhrzeit sein, zum Beispiel 09:30.',
  '{0} must be a time from 00:00 to {1}.': '{0} muss eine Uhrzeit von 00:00 bis {1} sein.',
  '{0} must be after {1}.': '{0} muss nach {1} liegen.',
  '{0} must be in the future.': '{0} muss in der Zukunft liegen.',
  '{0} must not be less than minutes_min.': '{0} darf nicht unter der kürzesten Dauer liegen.',
  '{0} must be an IANA time zone name such as Europe/Berlin.':
    '{0} muss der Name einer IANA-Zeitzone sein, zum Beispiel Europe/Berlin.',
  '{0} must be an address or a network such as 192.0.2.0/24.':
    '{0} muss eine Adresse oder ein Netz sein, zum Beispiel 192.0.2.0/24.',
  '{0} goes with every week only.': '{0} gibt es nur bei wöchentlicher Wiederholung.',
  '{0} or count is required, and not both.': 'Geben Sie entweder {0} oder die Anzahl an.',
  'The end must be after the start.': 'Das Ende muss nach dem Beginn liegen.',
  'That is after the year 9999.': 'Das liegt nach dem Jahr 9999.',
  'The clocks in {0} skip {1} on that day.': 'Die Uhren in {0} überspringen {1} an diesem Tag.',
  'These are more than {0} names.': 'Das sind mehr als {0} Namen.',
  '“{0}” ends before it begins.': '„{0}“ endet, bevor es beginnt.',
  '“{0}” makes more than {1} names.': '„{0}“ ergibt mehr als {1} Namen.',
  '“{0}” is longer than {1} characters.': '„{0}“ ist länger als {1} Zeichen.',
  '{0} already exists in this location.': '{0} gibt es in diesem Bereich schon.',
  '{0} already exist in this location.': '{0} gibt es in diesem Bereich schon.',
  '{0} is in the list more than once.': '{0} steht mehr als einmal in der Liste.',
  '{0} are in the list more than once.': '{0} stehen mehr als einmal in der Liste.',
  'Another room has this e-mail.': 'Ein anderer Raum hat diese E-Mail-Adresse.',
  'Another user has this e-mail.': 'Eine andere Person hat diese E-Mail-Adresse.',
  'Another user has this UPN.': 'Eine andere Person hat diesen UPN.',
  '{0} has this e-mail.': '{0} hat diese E-Mail-Adresse.',
  '{0} has this UPN.': '{0} hat diesen UPN.',
  'This is not one of the user’s vehicles.': 'Dieses Fahrzeug gehört nicht zu der Person.',

  // Administrators, tokens, webhooks.
  'An administrator with this e-mail already exists.':
    'Einen Administrator mit dieser E-Mail-Adresse gibt es schon.',
  'This administrator is disabled. Enable them first.':
    'Dieser Administrator ist deaktiviert. Aktivieren Sie ihn zuerst.',
  'This is the only owner. Make somebody else an owner first.':
    'Das ist der einzige Inhaber. Machen Sie zuerst jemand anderen zum Inhaber.',
  'Your account is disabled. An owner can enable it.':
    'Ihr Konto ist deaktiviert. Ein Inhaber kann es wieder aktivieren.',
  'The provider did not tell your e-mail address.': 'Der Anbieter hat Ihre E-Mail-Adresse nicht mitgeteilt.',
  '{0} is an administrator already, and the provider has not verified that this address is yours.':
    '{0} ist schon Administrator, und der Anbieter hat nicht bestätigt, dass diese Adresse Ihnen gehört.',
  'Another account of the provider signs in with your e-mail address here.':
    'Mit Ihrer E-Mail-Adresse meldet sich hier schon ein anderes Konto des Anbieters an.',
  'It has {0} calendar addresses already. Delete one first.':
    'Es gibt schon {0} Kalenderadressen. Löschen Sie zuerst eine.',
  'The webhook is switched off, so nothing is sent. Switch it on first.':
    'Der Webhook ist abgeschaltet, darum wird nichts gesendet. Schalten Sie ihn zuerst ein.',
  'This was changed while you were editing it. Nothing was saved.':
    'Das wurde geändert, während Sie es bearbeitet haben. Nichts wurde gespeichert.',
  'This administrator signs in with {0}.': 'Dieser Administrator meldet sich mit {0} an.',
  '{0} must be an http or https address without a user name.':
    '{0} muss eine http- oder https-Adresse ohne Benutzernamen sein.',
  '{0} is not one of the choices.': '{0} steht nicht zur Auswahl.',
  '“{0}” is unknown. Write them like booking.created.':
    '„{0}“ ist unbekannt. Schreiben Sie es wie booking.created.',

  // What became of a delivery or a mail, as workers note it.
  'The receiver answered 410: it is gone.': 'Der Empfänger hat 410 geantwortet: Es gibt ihn nicht mehr.',
  'No delivery succeeded for five days.': 'Fünf Tage lang ist keine Zustellung gelungen.',
  'no answer within {0} s': 'keine Antwort innerhalb von {0} s',
  '{0} is in a private network': '{0} liegt in einem privaten Netz',
  '{0} has no address': '{0} hat keine Adresse',
  'it could not be sent': 'Senden nicht möglich',
  'The mail server refused the address.': 'Der Mailserver hat die Adresse abgelehnt.',
  'The mail server refused the address ({0}).': 'Der Mailserver hat die Adresse abgelehnt ({0}).',
  'The mail server refused the mail.': 'Der Mailserver hat die E-Mail abgelehnt.',
  'The mail server refused the mail ({0}).': 'Der Mailserver hat die E-Mail abgelehnt ({0}).',
  'The mail server refused the login.': 'Der Mailserver hat die Anmeldung abgelehnt.',
  'The mail server refused the login ({0}).': 'Der Mailserver hat die Anmeldung abgelehnt ({0}).',
  'The connection to the mail server could not be encrypted.':
    'Die Verbindung zum Mailserver konnte nicht verschlüsselt werden.',
  'The mail server could not be reached.': 'Der Mailserver war nicht erreichbar.',
  'The mail server could not be reached ({0}).': 'Der Mailserver war nicht erreichbar ({0}).',
  'The mail could not be sent.': 'Die E-Mail konnte nicht gesendet werden.',
  'The mail could not be sent ({0}).': 'Die E-Mail konnte nicht gesendet werden ({0}).',

  // Rules, and tokens.
  '“{0}” is not a line such as “Mon-Fri 07:00-20:00”.': '„{0}“ ist keine Zeile wie „Mo-Fr 07:00-20:00“.',
  '“{0}” is not a line such as “2026-12-24 12:00 to 2026-12-27 Christmas” or “2026-11-27 Holiday”.':
    '„{0}“ ist keine Zeile wie „2026-12-24 12:00 bis 2026-12-27 Weihnachten“ oder „2026-11-27 Feiertag“.',
  'There is no group called “{0}”.': 'Es gibt keine Gruppe mit dem Namen „{0}“.',
  '{0} is not an ability.': '{0} ist keine Berechtigung.',
}
