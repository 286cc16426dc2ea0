// What the files of this folder say, in German.
import type { Catalog } from '../language/translate.ts'

export const german: Catalog = {
  'just now': 'gerade eben',
  '{0} (now {1})': '{0} (jetzt {1})',
}
