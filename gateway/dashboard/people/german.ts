// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  // Everybody, and who is in.
  'Name, e-mail, UPN, group or plate': 'Name, E-Mail, UPN, Gruppe oder Kennzeichen',
  'Members of {0}': 'Mitglieder von {0}',
  Plates: 'Kennzeichen',
  'New person': 'Neue Person',
  'add a person': 'eine Person hinzufügen',
  'No people yet.': 'Noch keine Personen.',
  '{0} from a file, or {1}.': '{0} (aus einer Datei) oder {1}.',
  'No people match.': 'Keine Personen gefunden.',
  'Try fewer words, or {0}.': 'Suchen Sie mit weniger Wörtern oder lassen Sie sich {0}.',
  'show all active people': 'alle aktiven Personen anzeigen',
  'Search {0}, or {1}.': 'Suchen Sie {0} oder lassen Sie sich {1}.',
  'deactivated people too': 'auch unter deaktivierten Personen',
  'Export active people: {0}, {1}. You can edit the file and import it again.':
    'Aktive Personen exportieren: {0}, {1}. Sie können die Datei bearbeiten und wieder importieren.',
  '# deactivated people still have {0}.': {
    one: '# deaktivierte Person hat noch {0}.',
    other: '# deaktivierte Personen haben noch {0}.',
  },
  '# assigned desks and rooms': {
    one: '# zugewiesenen Tisch oder Raum',
    other: '# zugewiesene Tische und Räume',
  },
  'Nobody has booked for today.': 'Für heute hat niemand gebucht.',
  '# people are in today, {0} of them now.': {
    one: 'Heute ist # Person da, jetzt {0}.',
    other: 'Heute sind # Personen da, davon jetzt {0}.',
  },
  '{0} (guest)': '{0} (Gast)',
  '# more': { one: '# weitere', other: '# weitere' },

  // One of them.
  'This person does not exist or has been erased.': 'Diese Person gibt es nicht, oder sie wurde gelöscht.',
  'Assigned to them': 'Der Person zugewiesen',
  Vehicles: 'Fahrzeuge',
  'No vehicles.': 'Keine Fahrzeuge.',
  'Current and upcoming bookings': 'Aktuelle und kommende Buchungen',
  'No current or upcoming bookings.': 'Keine aktuellen oder kommenden Buchungen.',
  'Current and upcoming events': 'Aktuelle und kommende Termine',
  'No current or upcoming events.': 'Keine aktuellen oder kommenden Termine.',
  'Last bookings': 'Letzte Buchungen',
  'No past bookings.': 'Keine vergangenen Buchungen.',
  'Person restored.': 'Person wiederhergestellt.',
  Restore: 'Wiederherstellen',
  '# desks and rooms are still assigned to this deactivated person, and nobody else can book them. End the assignment below.':
    {
      one: '# Tisch oder Raum ist dieser deaktivierten Person noch zugewiesen, und niemand sonst kann ihn buchen. Beenden Sie die Zuweisung unten.',
      other:
        '# Tische und Räume sind dieser deaktivierten Person noch zugewiesen, und niemand sonst kann sie buchen. Beenden Sie die Zuweisungen unten.',
    },

  // The form.
  'Edit person': 'Person bearbeiten',
  'Add person': 'Person hinzufügen',
  'User principal name in your directory.': 'User Principal Name in Ihrem Verzeichnis.',
  'One per line. Groups that do not exist yet are created.':
    'Eine pro Zeile. Gruppen, die es noch nicht gibt, werden angelegt.',
  'License plates': 'Kennzeichen',
  'One per line. A vehicle keeps its ID as long as its plate does not change.':
    'Eines pro Zeile. Ein Fahrzeug behält seine ID, solange sich sein Kennzeichen nicht ändert.',
  'Add an attribute': 'Attribut hinzufügen',
  Attribute: 'Attribut',
  Value: 'Wert',
  'Enter a value, or choose no attribute.': 'Geben Sie einen Wert ein oder wählen Sie kein Attribut.',
  'Choose an attribute for this value.': 'Wählen Sie ein Attribut für diesen Wert.',

  // Groups.
  'A group is created when the first person is added to it.':
    'Eine Gruppe entsteht, sobald die erste Person in sie aufgenommen wird.',
  'There are no groups yet.': 'Es gibt noch keine Gruppen.',
  'Active people': 'Aktive Personen',

  // Deactivating.
  'Deactivate person': 'Person deaktivieren',
  'Deactivate {0}?': '{0} deaktivieren?',
  'They can no longer book, and the API no longer lists them.':
    'Die Person kann nicht mehr buchen, und die API führt sie nicht mehr auf.',
  'They have no current or upcoming bookings.': 'Die Person hat keine aktuellen oder kommenden Buchungen.',
  'Their booking stays until it is released.': 'Die Buchung der Person bleibt, bis sie freigegeben wird.',
  'Their # bookings stay until they are released.': {
    one: 'Die # Buchung der Person bleibt, bis sie freigegeben wird.',
    other: 'Die # Buchungen der Person bleiben, bis sie freigegeben werden.',
  },
  '{0} stays assigned to them until you end the assignment.':
    '{0} bleibt der Person zugewiesen, bis Sie die Zuweisung beenden.',
  '{0} stay assigned to them until you end the assignments.':
    '{0} bleiben der Person zugewiesen, bis Sie die Zuweisungen beenden.',
  'You can restore them later.': 'Sie können die Person später wiederherstellen.',
  Deactivate: 'Deaktivieren',
  'Keep them active': 'Aktiv lassen',
  'Person deactivated.': 'Person deaktiviert.',

  // Deactivated ones, and what they hold.
  'Deactivated people with bookings or desks': 'Deaktivierte Personen mit Buchungen oder Tischen',
  'Their desks stay empty until you release the bookings and end the assignments.':
    'Die Tische dieser Personen bleiben leer, bis Sie die Buchungen freigeben und die Zuweisungen beenden.',
  'No deactivated people have bookings or assigned desks.':
    'Keine deaktivierte Person hat Buchungen oder zugewiesene Tische.',
  'Next booking': 'Nächste Buchung',
  'Release the bookings of {0}': 'Buchungen von {0} freigeben',
  Release: 'Freigeben',
  'Release all': 'Alle freigeben',
  'Release all bookings': 'Alle Buchungen freigeben',
  'Release all bookings of deactivated people': 'Alle Buchungen deaktivierter Personen freigeben',
  'Release bookings': 'Buchungen freigeben',
  'Release the bookings of deactivated people?': 'Die Buchungen deaktivierter Personen freigeben?',
  'Release # bookings of deactivated people?': {
    one: '# Buchung deaktivierter Personen freigeben?',
    other: '# Buchungen deaktivierter Personen freigeben?',
  },
  'Release the bookings of {0}?': 'Die Buchungen von {0} freigeben?',
  'Release # bookings of {0}?': {
    one: '# Buchung von {0} freigeben?',
    other: '# Buchungen von {0} freigeben?',
  },
  'Upcoming bookings are deleted, and current ones end now. Others can book these times right away. This cannot be undone.':
    'Kommende Buchungen werden gelöscht, aktuelle enden sofort. Andere können diese Zeiten gleich buchen. Das lässt sich nicht rückgängig machen.',
  'The others are still booked.': 'Die anderen sind noch gebucht.',
  '{0} of {1} bookings released': '{0} von {1} Buchungen freigegeben',
  'What is released stays released, whatever happens.': 'Was freigegeben ist, bleibt es, was auch geschieht.',
  'The others can be released again.': 'Die übrigen können noch einmal freigegeben werden.',
  '# bookings released.': { one: '# Buchung freigegeben.', other: '# Buchungen freigegeben.' },
  'Bookings are being released.': 'Buchungen werden freigegeben.',
  'View progress': 'Fortschritt ansehen',
  'This release does not exist, or it is more than seven days old.':
    'Diese Freigabe gibt es nicht, oder sie ist älter als sieben Tage.',
  'There was nothing to release.': 'Es gab nichts freizugeben.',
  'Bookings released: {0} deleted, {1} ended now.':
    'Buchungen freigegeben: {0} gelöscht, {1} sofort beendet.',

  // Erasing.
  'Erase person': 'Person endgültig löschen',
  Erase: 'Endgültig löschen',
  'Erase {0}?': '{0} endgültig löschen?',
  '{0} cannot be erased': '{0} kann nicht gelöscht werden',
  'Their name, e-mail, license plates and everything else that says who they are is deleted here, from the audit log too. Past bookings still count, and no longer say whose they were. Files of imports and exports from before are deleted within half an hour. Take the person off your own list too: the next import adds whoever is on it. This cannot be undone.':
    'Name, E-Mail, Kennzeichen und alles andere, was sagt, wer die Person ist, wird hier gelöscht, auch aus dem Protokoll. Vergangene Buchungen zählen weiter, sagen aber nicht mehr, von wem sie waren. Dateien früherer Importe und Exporte werden innerhalb einer halben Stunde gelöscht. Streichen Sie die Person auch aus Ihrer eigenen Liste: Der nächste Import fügt alle hinzu, die darin stehen. Das lässt sich nicht rückgängig machen.',
  'Keep the person': 'Person behalten',
  'Upcoming bookings, cancelled': 'Kommende Buchungen, storniert',
  'Current bookings, ended now': 'Aktuelle Buchungen, sofort beendet',
  'Bookings made anonymous': 'Anonymisierte Buchungen',
  'Upcoming events they organize, cancelled': 'Eigene kommende Termine, abgesagt',
  'Events made anonymous': 'Anonymisierte Termine',
  'Events of others, left': 'Termine anderer, Teilnahme beendet',
  'Assigned desks, rooms and parking, given back': 'Zugewiesene Tische, Räume und Parkplätze, zurückgegeben',
  'Vehicles, deleted': 'Fahrzeuge, gelöscht',
  'Person erased; {0} and {1} cancelled.': 'Person gelöscht; {0} storniert, {1} abgesagt.',
  '# upcoming bookings': { one: '# kommende Buchung', other: '# kommende Buchungen' },
}
