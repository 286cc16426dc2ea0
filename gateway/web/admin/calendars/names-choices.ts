// The choices of what a screen or the calendar of a place shows about people.
import type { ShownNames } from '../../../../shared/people/shown-names.ts'
import { sentence } from '../../locales/translate.ts'
import { choices } from '../../pages/ui/fields.ts'

export const NAMES = choices<ShownNames>(
  ['full', sentence`Names and meeting titles`],
  ['initials', sentence`Only initials`],
  ['none', sentence`Only when it is taken, without names`],
)
