// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  'Buildings, their locations, and what can be booked there.':
    'Gebäude, ihre Bereiche und was dort gebucht werden kann.',
  'There are no buildings yet.': 'Es gibt noch keine Gebäude.',
  'Start by adding one. Its locations hold the desks, rooms and parking spots that people book.':
    'Legen Sie zuerst eines an. In seinen Bereichen sind die Tische, Räume und Parkplätze, die gebucht werden.',
  'No matching buildings or locations.': 'Keine passenden Gebäude oder Bereiche.',
  'Add a location': 'Bereich hinzufügen',
  'Add a location to {0}': 'Bereich hinzufügen: {0}',
  'Delete this building': 'Dieses Gebäude löschen',
  'Delete this location': 'Diesen Bereich löschen',
  Code: 'Kürzel',
}
