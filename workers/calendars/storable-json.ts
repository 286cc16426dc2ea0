// Writes an answer of a calendar provider as JSON that Postgres can store. A calendar program may have cut a text of the
// answer in the middle of a character.
import { toStorableText } from '../../shared/utilities/texts.ts'

export const toStorableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'string' ? toStorableText(each) : each))
