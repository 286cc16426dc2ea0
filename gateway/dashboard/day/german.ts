// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  '{0}. Time zone: {1}.': '{0}. Zeitzone: {1}.',
  'Day before': 'Tag davor',
  'Day after': 'Tag danach',
  'Whole building': 'Ganzes Gebäude',
  'Nothing to book here.': 'Hier gibt es nichts zu buchen.',
  '{0} on {1}': '{0} am {1}',
  'Book {0}, {1} to {2}': '{0} buchen, {1} bis {2}',
  '{0}, {1} to {2}: {3}': '{0}, {1} bis {2}: {3}',
  '{0}, {1} to {2}, and on other days: {3}': '{0}, {1} bis {2} und an anderen Tagen: {3}',
}
