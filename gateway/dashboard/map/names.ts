// How people are named on a map: in full, by their initials, or not at all, where others look at the same screen.
import { choice } from '../../../shared/contracts/fields.ts'
import { message } from '../../../shared/messages/message.ts'
import { shorten } from '../../api/livemap/text.ts'
import { t } from '../language/translate.ts'
import type { MapBookable, MapHolder } from './queries.ts'

export const NAMES = ['full', 'initials', 'hidden'] as const
export type Names = (typeof NAMES)[number]

// What a cell has room for.
const WIDTH = 120
const LETTERS = 12

export const namesChoice = () => choice(NAMES, (name) => message`${name} must be one of ${NAMES.join(', ')}.`)

/** Who has it, and the event that it is for. */
export function formatHolder({ who, guest, event }: MapHolder, names: Names): string {
  if (names === 'hidden') return t`Taken`
  if (names === 'initials') return formatInitials(who)
  const name = [event, who].filter(Boolean).join(', ')
  return guest ? t`${name} for ${guest}` : name
}

/** In a cell: whom most look for is the person, for an event its name. */
export function formatShortHolders({ holders, claims }: MapBookable, names: Names): string {
  const [first] = holders
  if (!first || names === 'hidden') return t`taken`
  const name = names === 'initials' ? formatInitials(first.who) : (first.event ?? first.guest ?? first.who)
  return claims > 1 ? `${shorten(name, WIDTH - 20, LETTERS)} +${claims - 1}` : shorten(name, WIDTH, LETTERS)
}

/** “AL” for Ada Lovelace: of the first word and the last. */
function formatInitials(name: string): string {
  const words = name.split(/[\s.@_-]+/u).filter(Boolean)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase('en') ?? '').join('')
}
