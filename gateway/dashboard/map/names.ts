// How the map names people: in full, by their initials, or not at all, for screens that others can see.

import { message } from '../../../shared/messages/message.ts'
import { choice } from '../../../shared/schemas/fields.ts'
import { shorten } from '../../api/livemap/text.ts'
import { t } from '../locales/translate.ts'
import type { MapBookable, MapHolder } from './queries.ts'

export const NAMES = ['full', 'initials', 'hidden'] as const
export type Names = (typeof NAMES)[number]

// The space for a name in a cell.
const WIDTH = 120
const LETTERS = 12

export const namesChoice = () => choice(NAMES, (name) => message`${name} must be one of ${NAMES.join(', ')}.`)

/** Names who has the bookable, and the event it is for. */
export function formatHolder({ who, guest, event }: MapHolder, names: Names): string {
  if (names === 'hidden') return t`Taken`
  if (names === 'initials') return formatInitials(who)
  const name = [event, who].filter(Boolean).join(', ')
  return guest ? t`${name} for ${guest}` : name
}

/** Names in a cell what most users look for: the event, else the guest or the person. */
export function formatShortHolders({ holders, claims }: MapBookable, names: Names): string {
  const [first] = holders
  if (!first || names === 'hidden') return t`taken`
  const name = names === 'initials' ? formatInitials(first.who) : (first.event ?? first.guest ?? first.who)
  return claims > 1 ? `${shorten(name, WIDTH - 20, LETTERS)} +${claims - 1}` : shorten(name, WIDTH, LETTERS)
}

/** “AL” for Ada Lovelace: from the first and the last word. */
function formatInitials(name: string): string {
  const words = name.split(/[\s.@_-]+/u).filter(Boolean)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase('en') ?? '').join('')
}
