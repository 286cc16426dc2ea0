// What the files of this folder say, in German.
import type { Catalog } from '../../language/translate.ts'

export const german: Catalog = {
  'This location does not exist, or it has been deleted.':
    'Diesen Bereich gibt es nicht, oder er wurde gelöscht.',
  'New location': 'Neuer Bereich',
  'Create location': 'Bereich anlegen',
  'Location created. Now add its desks and rooms, and a floor plan.':
    'Bereich angelegt. Fügen Sie jetzt seine Tische und Räume und einen Grundriss hinzu.',
  'A floor or an area, such as “3rd floor” or “Car park”.':
    'Eine Etage oder ein Teil davon, zum Beispiel „3. Etage“ oder „Parkdeck“.',
  'A short code for signs and lists, such as “HH-3”.':
    'Ein Kürzel für Schilder und Listen, zum Beispiel „HH-3“.',
  'Edit name, code and building': 'Name, Kürzel und Gebäude bearbeiten',
  'Copy location': 'Bereich kopieren',
  'Copy {0}': '{0} kopieren',
  'The copy has its # desks and rooms and its floor plan, with positions, tags and capacities.': {
    one: 'Die Kopie hat # Tisch oder Raum und den Grundriss, mit Positionen, Tags und Plätzen.',
    other: 'Die Kopie hat # Tische und Räume und den Grundriss, mit Positionen, Tags und Plätzen.',
  },
  'The copy has its # desks and rooms, with positions, tags and capacities.': {
    one: 'Die Kopie hat # Tisch oder Raum, mit Position, Tags und Plätzen.',
    other: 'Die Kopie hat # Tische und Räume, mit Positionen, Tags und Plätzen.',
  },
  'Bookings, assignments, rules and integration e-mails are not copied.':
    'Buchungen, Zuweisungen, Regeln und E-Mails für Kalender werden nicht kopiert.',
  'Location copied, with # desks and rooms.': {
    one: 'Bereich kopiert, mit # Tisch oder Raum.',
    other: 'Bereich kopiert, mit # Tischen und Räumen.',
  },
  'Delete location': 'Bereich löschen',
  'A location can be deleted once it has no desks, rooms or parking.':
    'Ein Bereich kann gelöscht werden, sobald er keine Tische, Räume oder Parkplätze mehr hat.',
  'A location can only be deleted once it has no desks, rooms or parking. Its floor plan is deleted too. This cannot be undone.':
    'Ein Bereich kann erst gelöscht werden, wenn er keine Tische, Räume oder Parkplätze mehr hat. Auch sein Grundriss wird gelöscht. Das lässt sich nicht rückgängig machen.',
  'Location deleted.': 'Bereich gelöscht.',

  // What can be booked there.
  'Add desks, rooms or parking spots: “Desk 1-40” adds 40 desks at once.':
    'Fügen Sie Tische, Räume oder Parkplätze hinzu: „Tisch 1-40“ ergibt 40 Tische auf einmal.',
  'Name, tag or description': 'Name, Tag oder Beschreibung',
  'Change selected': 'Ausgewählte ändern',
  'All {0} that match': 'Alle {0} Treffer',
  'On floor plan': 'Auf dem Grundriss',

  // The floor plan.
  'No floor plan yet. Upload one to show desks and rooms where they are. Until then, the map is a grid.':
    'Noch kein Grundriss. Laden Sie einen hoch, um Tische und Räume dort zu zeigen, wo sie sind. Bis dahin ist die Karte ein Raster.',
  'Upload floor plan': 'Grundriss hochladen',
  'Replace floor plan': 'Grundriss ersetzen',
  'Delete floor plan': 'Grundriss löschen',
  Picture: 'Bild',
  'New picture': 'Neues Bild',
  'PNG or JPEG, up to 10 MiB.': 'PNG oder JPEG, bis 10 MiB.',
  'PNG or JPEG, up to 10 MiB. Positions are kept.': 'PNG oder JPEG, bis 10 MiB. Die Positionen bleiben.',
  'Arrange the floor plan of {0}': 'Grundriss einrichten: {0}',
  'On the floor plan: {0} of # desks and rooms.': {
    one: 'Auf dem Grundriss: {0} von # Tisch oder Raum.',
    other: 'Auf dem Grundriss: {0} von # Tischen und Räumen.',
  },
  'Floor plan uploaded.': 'Grundriss hochgeladen.',
  'Floor plan deleted. All positions are kept.': 'Grundriss gelöscht. Alle Positionen bleiben.',
  'This floor plan does not exist, or it has been deleted.':
    'Diesen Grundriss gibt es nicht, oder er wurde gelöscht.',
  'This form must be sent with a file.': 'Dieses Formular muss mit einer Datei gesendet werden.',
  'Select {0}': '{0} auswählen',
}
