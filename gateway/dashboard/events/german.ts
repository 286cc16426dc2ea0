// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  // The list.
  'New event': 'Neuer Termin',
  'Event or organizer': 'Termin oder Organisator',
  Organizer: 'Organisator',
  'Times are in the time zone of each event.': 'Die Zeiten stehen in der Zeitzone des jeweiligen Termins.',
  'No events match.': 'Keine Termine gefunden.',
  'see the coming week': 'sehen Sie sich die kommende Woche an',
  'create an event': 'erstellen Sie einen Termin',
  'Cancelled events no longer have rooms. Search for them by name and day.':
    'Abgesagte Termine haben keine Räume mehr. Suchen Sie nach Name und Tag.',
  Confirmed: 'Bestätigt',
  Cancelled: 'Abgesagt',
  confirmed: 'bestätigt',
  cancelled: 'abgesagt',

  // One event.
  'This event does not exist.': 'Diesen Termin gibt es nicht.',
  'Its rooms were freed when it was cancelled.': 'Seine Räume wurden mit der Absage frei.',
  'No rooms.': 'Keine Räume.',
  'No attendees.': 'Keine Teilnehmer.',
  Response: 'Antwort',
  'no response': 'keine Antwort',
  accepted: 'zugesagt',
  tentative: 'mit Vorbehalt',
  declined: 'abgelehnt',
  Classification: 'Sichtbarkeit',
  Public: 'Öffentlich',
  Private: 'Privat',
  Confidential: 'Vertraulich',
  Default: 'Standard',

  // Cancelling one.
  'Cancel event': 'Termin absagen',
  'Cancel “{0}”?': '„{0}“ absagen?',
  'It starts on {0}.': 'Beginn: {0}.',
  '# people are invited; Berth does not notify them.': {
    one: '# Person ist eingeladen; Berth benachrichtigt sie nicht.',
    other: '# Personen sind eingeladen; Berth benachrichtigt sie nicht.',
  },
  'Its # rooms become free again.': {
    one: '# Raum wird wieder frei.',
    other: '# Räume werden wieder frei.',
  },
  'The event stays listed here as cancelled.': 'Der Termin bleibt hier als abgesagt aufgeführt.',
  'Event cancelled. Its rooms are free again.': 'Termin abgesagt. Seine Räume sind wieder frei.',
  'Reinstate event': 'Termin wieder ansetzen',

  // Creating and changing one.
  'Create event': 'Termin erstellen',
  'Event created.': 'Termin erstellt.',
  'Choose when it is, then people and rooms.': 'Wählen Sie erst die Zeit, dann Personen und Räume.',
  'Change event': 'Termin ändern',
  'Change “{0}”': '„{0}“ ändern',
  'Nothing changes until you save below.': 'Nichts ändert sich, bis Sie unten speichern.',
  'This event is cancelled and has no rooms. Saving reinstates it.':
    'Dieser Termin ist abgesagt und hat keine Räume. Mit dem Speichern wird er wieder angesetzt.',
  'The event has ended and cannot be changed any more.':
    'Der Termin ist vorbei und kann nicht mehr geändert werden.',
  'End time zone': 'Zeitzone des Endes',
  'Same as start': 'Wie am Anfang',
  'One of the people above.': 'Eine der Personen oben.',
  'Add people first': 'Fügen Sie erst Personen hinzu',
  'You can use Markdown.': 'Sie können Markdown verwenden.',
  'The list of people': 'Die Liste der Personen',
  'The list of rooms': 'Die Liste der Räume',

  // Its people.
  'No people yet. Add at least one: every event needs an organizer.':
    'Noch keine Personen. Fügen Sie mindestens eine hinzu: Jeder Termin braucht einen Organisator.',
  'deactivated, will be left out': 'deaktiviert, wird weggelassen',
  visitor: 'Besucher',
  'Add visitor': 'Besucher hinzufügen',
  'Visitor e-mail': 'E-Mail des Besuchers',
  'This is not a valid e-mail address.': 'Das ist keine gültige E-Mail-Adresse.',
  'No other active people found.': 'Keine weiteren aktiven Personen gefunden.',

  // Its rooms.
  'Show rooms': 'Räume anzeigen',
  'Find rooms': 'Räume suchen',
  'No rooms found.': 'Keine Räume gefunden.',
  'An event does not need any.': 'Ein Termin braucht keinen.',
  'There are more rooms. Choose a building or search by name, or {0}.':
    'Es gibt weitere Räume. Wählen Sie ein Gebäude, suchen Sie nach dem Namen oder {0}.',
  'show more': 'lassen Sie mehr anzeigen',
  '{0} is in {1}': '{0} liegt in {1}',
  'not known': 'nicht bekannt',
  'too small': 'zu klein',
  'At that time': 'Zu dieser Zeit',
  'against a rule': 'gegen eine Regel',
  'cannot be booked': 'nicht buchbar',
  '{0} is taken at that time.': '{0} ist zu dieser Zeit belegt.',
  'No other room that is large enough is free in its building.':
    'In seinem Gebäude ist kein anderer Raum frei, der groß genug ist.',
  'Use {0} instead': 'Stattdessen {0} nehmen',
}
