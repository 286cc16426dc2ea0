// What the files of this folder say, in German.
import type { Catalog } from '../../language/translate.ts'

export const german: Catalog = {
  'This building does not exist, or it has been deleted.':
    'Dieses Gebäude gibt es nicht, oder es wurde gelöscht.',
  'New building': 'Neues Gebäude',
  'Create building': 'Gebäude anlegen',
  'Building created. Now add its locations.': 'Gebäude angelegt. Fügen Sie jetzt seine Bereiche hinzu.',
  'Days and times at this building are in this time zone.':
    'Tage und Uhrzeiten in diesem Gebäude gelten in dieser Zeitzone.',
  'Edit name, address and time zone': 'Name, Adresse und Zeitzone bearbeiten',
  'This building has no locations yet.': 'Dieses Gebäude hat noch keine Bereiche.',
  'A location is a floor or an area with its own floor plan.':
    'Ein Bereich ist eine Etage oder ein Teil davon, mit eigenem Grundriss.',
  'Delete building': 'Gebäude löschen',
  'A building can be deleted once it has no locations.':
    'Ein Gebäude kann gelöscht werden, sobald es keine Bereiche mehr hat.',
  'A building can only be deleted once it has no locations. This cannot be undone.':
    'Ein Gebäude kann erst gelöscht werden, wenn es keine Bereiche mehr hat. Das lässt sich nicht rückgängig machen.',
  'Building deleted.': 'Gebäude gelöscht.',
}
