// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  // What was found, and choosing from it.
  'More than {0} are found, so they are sorted by their start. Narrow the search to sort them by another column.':
    'Mehr als {0} gefunden, deshalb sind sie nach Beginn sortiert. Grenzen Sie die Suche ein, um nach einer anderen Spalte zu sortieren.',
  chosen: 'ausgewählt',

  // Days.
  'The last day is before the first, so only the first is shown.':
    'Der letzte Tag liegt vor dem ersten, deshalb wird nur der erste gezeigt.',
  Place: 'Ort',
  'Floor, desk or room': 'Etage, Tisch oder Raum',
  Tomorrow: 'Morgen',
  Yesterday: 'Gestern',
  'This week': 'Diese Woche',
}
