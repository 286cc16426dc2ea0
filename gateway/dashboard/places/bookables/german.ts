// What the files of this folder say, in German.
import type { Catalog } from '../../language/translate.ts'

export const german: Catalog = {
  'This desk or room does not exist, or it has been deleted.':
    'Diesen Tisch oder Raum gibt es nicht, oder er wurde gelöscht.',

  // Its page.
  Assignment: 'Zuweisung',
  'Position on the floor plan': 'Position auf dem Grundriss',
  'Integration e-mail': 'E-Mail für Kalender',
  'The mailbox that calendars use for this room. No other room can have the same.':
    'Das Postfach, das Kalender für diesen Raum verwenden. Kein anderer Raum kann dasselbe haben.',
  'Description, tags, capacity': 'Beschreibung, Tags, Plätze',
  'Separated by commas, such as “window, standing desk”.':
    'Durch Kommas getrennt, etwa „Fenster, Stehtisch“.',
  'The number of seats in a room.': 'Wie viele Plätze ein Raum hat.',
  'Bookings require a vehicle': 'Buchungen brauchen ein Fahrzeug',
  'Past bookings are kept.': 'Vergangene Buchungen bleiben erhalten.',
  'Delete {0}': '{0} löschen',
  'Now and next': 'Jetzt und demnächst',
  'Not booked now or later.': 'Weder jetzt noch später gebucht.',
  '{0} open-ended': 'Ab {0}, unbefristet',
  'for {0}': 'für {0}',
  'Search its bookings': 'Buchungen dazu suchen',

  // Its position.
  'It has no position yet.': 'Noch ohne Position.',
  'In percent of the floor plan.': 'In Prozent des Grundrisses.',
  'Drag it into place instead': 'Stattdessen an den Platz ziehen',
  'From left (%)': 'Von links (%)',
  'From top (%)': 'Von oben (%)',
  'Save position': 'Position speichern',
  'Position saved.': 'Position gespeichert.',

  // To whom it is assigned.
  Assign: 'Zuweisen',
  'Assign {0}': '{0} zuweisen',
  'Assign to': 'Zuweisen an',
  'Assign to {0}': 'An {0} zuweisen',
  'Assign to people': 'An Personen zuweisen',
  'Assign {0} to {1}?': '{0} an {1} zuweisen?',
  'Assigned to': 'Zugewiesen an',
  'Not assigned to anyone.': 'Niemandem zugewiesen.',
  'Only these people can book it:': 'Nur diese Personen können buchen:',
  'Blocked: nobody can book it.': 'Gesperrt: Niemand kann buchen.',
  'Change assignment': 'Zuweisung ändern',
  'End assignment': 'Zuweisung beenden',
  'Assignment ended. Anyone can book it again.': 'Zuweisung beendet. Alle können wieder buchen.',
  'People found': 'Gefundene Personen',
  'More people match. Enter more of the name to narrow it down.':
    'Es gibt weitere Treffer. Geben Sie mehr vom Namen ein.',
  '{0} is assigned to {1}.': '{0} ist jetzt {1} zugewiesen.',
  '{0} is assigned to them.': '{0} ist jetzt zugewiesen.',
  '{0} is no longer assigned to {1}.': '{0} ist {1} nicht mehr zugewiesen.',
  '{0} is no longer assigned to them.': '{0} ist nicht mehr zugewiesen.',
  '{0} is not assigned to anyone now. Anyone can book it.':
    '{0} ist niemandem mehr zugewiesen. Alle können buchen.',

  // Blocked for a time.
  'Block {0} for a time': '{0} zeitweise sperren',
  'Nobody can book it then. What is booked already stays.':
    'In dieser Zeit kann niemand buchen. Vorhandene Buchungen bleiben.',
  '{0} is blocked at that time. What is booked already stays.':
    '{0} ist in dieser Zeit gesperrt. Vorhandene Buchungen bleiben.',
  'Blocked times': 'Gesperrte Zeiten',
  'Unblock {0}': 'Ab {0} entsperren',
  'It can be booked again at that time.': 'In dieser Zeit kann wieder gebucht werden.',

  // Adding.
  'One per line. A range adds many: “Desk 1-40”, “P-001…P-120”. Up to 1,000 at once.':
    'Ein Name pro Zeile. Viele auf einmal: „Tisch 1-40“, „P-001…P-120“. Bis zu 1.000 auf einmal.',
  'Preview names': 'Namen ansehen',
  'Preview: # names': { one: 'Vorschau: # Name', other: 'Vorschau: # Namen' },
  'Nothing has been added yet.': 'Es wurde noch nichts hinzugefügt.',
  '{0} added.': '{0} hinzugefügt.',
  '# desks added: {0} to {1}.': {
    one: '# Tisch hinzugefügt: {0} bis {1}.',
    other: '# Tische hinzugefügt: {0} bis {1}.',
  },
  '# parking spots added: {0} to {1}.': {
    one: '# Parkplatz hinzugefügt: {0} bis {1}.',
    other: '# Parkplätze hinzugefügt: {0} bis {1}.',
  },
  '# meeting rooms added: {0} to {1}.': {
    one: '# Besprechungsraum hinzugefügt: {0} bis {1}.',
    other: '# Besprechungsräume hinzugefügt: {0} bis {1}.',
  },
  '# home offices added: {0} to {1}.': {
    one: '# Homeoffice hinzugefügt: {0} bis {1}.',
    other: '# Homeoffices hinzugefügt: {0} bis {1}.',
  },

  // Many at once.
  'Change # desks and rooms': { one: '# Tisch oder Raum ändern', other: '# Tische und Räume ändern' },
  'All of them are changed, or none.': 'Entweder werden alle geändert oder keine.',
  'Nothing selected': 'Nichts ausgewählt',
  'Nothing is selected.': 'Es ist nichts ausgewählt.',
  'Select what to change in the list': 'In der Liste auswählen, was geändert werden soll',
  'Select what to delete in {0}.': 'Wählen Sie in {0} aus, was gelöscht werden soll.',
  'Too many selected': 'Zu viele ausgewählt',
  'More than {0} match.': 'Mehr als {0} Treffer.',
  'Up to {0} can be changed at once.': 'Höchstens {0} können auf einmal geändert werden.',
  'Narrow the search': 'Suche eingrenzen',
  'Nobody can book what is blocked.': 'Was gesperrt ist, kann niemand buchen.',
  'End assignments': 'Zuweisungen beenden',
  'Only this person can book them then.': 'Dann kann nur diese Person sie buchen.',
  'This person cannot be chosen.': 'Diese Person kann nicht ausgewählt werden.',
  'Change tags': 'Tags ändern',
  'Separated by commas.': 'Durch Kommas getrennt.',
  'Move to another location': 'In einen anderen Bereich verschieben',
  'Bookings stay with them. Their positions on the floor plan are cleared.':
    'Ihre Buchungen bleiben. Ihre Positionen auf dem Grundriss werden entfernt.',
  'Choose one': 'Bitte auswählen',
  'Nothing had to be changed.': 'Es war nichts zu ändern.',
  '# desks and rooms blocked.': {
    one: '# Tisch oder Raum gesperrt.',
    other: '# Tische und Räume gesperrt.',
  },
  '# desks and rooms unblocked.': {
    one: '# Tisch oder Raum entsperrt.',
    other: '# Tische und Räume entsperrt.',
  },
  '# desks and rooms assigned to {0}.': {
    one: '# Tisch oder Raum ist jetzt {0} zugewiesen.',
    other: '# Tische und Räume sind jetzt {0} zugewiesen.',
  },
  '# desks and rooms assigned to them.': {
    one: '# Tisch oder Raum ist jetzt zugewiesen.',
    other: '# Tische und Räume sind jetzt zugewiesen.',
  },
  '# assignments ended.': { one: '# Zuweisung beendet.', other: '# Zuweisungen beendet.' },
  '# desks and rooms tagged anew.': {
    one: 'Tags von # Tisch oder Raum geändert.',
    other: 'Tags von # Tischen und Räumen geändert.',
  },
  '# desks and rooms moved to {0}.': {
    one: '# Tisch oder Raum nach {0} verschoben.',
    other: '# Tische und Räume nach {0} verschoben.',
  },
  'Delete # desks and rooms?': { one: '# Tisch oder Raum löschen?', other: '# Tische und Räume löschen?' },
  'Delete it': 'Löschen',
  'Delete them': 'Löschen',
  'Already deleted': 'Bereits gelöscht',
  '{0} deleted.': '{0} gelöscht.',
  '# desks and rooms deleted.': {
    one: '# Tisch oder Raum gelöscht.',
    other: '# Tische und Räume gelöscht.',
  },
}
