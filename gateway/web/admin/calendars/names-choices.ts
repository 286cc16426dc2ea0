// The choices for how a screen or a place's calendar shows people's names.
import type { ShownNames } from '../../../../shared/people/shown-names.ts'
import { sentence } from '../../locales/translate.ts'
import { choices } from '../../pages/ui/fields.ts'

export const SHOWN_NAME_CHOICES = choices<ShownNames>(
  ['full', sentence`Names and meeting titles`],
  ['initials', sentence`Only initials`],
  ['none', sentence`Only the booked times, without names`],
)
