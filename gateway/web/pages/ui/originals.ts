// The original values of a form, stored in the form itself. If another user has changed some of these values
// in the meantime, the form shows the old, the current and the entered value of each changed field. Fields
// that the user did not edit take the new value.
import { createHash } from 'node:crypto'
import { t } from '../../locales/translate.ts'

const SHOWN_LENGTH_MAX = 200

type ValueDifference = { label: string; was: string; isNow: string; entered: string | undefined }
type OriginalValue = {
  name: string
  label: string
  /** The value that the form would be filled with now. */
  present: string
  /** The value that was submitted in a form that was refused. */
  sent?: string | undefined
  /** Formats a value as text, if its text differs from the value, as for a choice. */
  describe?: (value: string) => string
}

export class OriginalValues {
  readonly differences: ValueDifference[] = []
  readonly #filled: Record<string, string> = {}
  readonly #before: Record<string, string> | undefined

  /** `before` has the original values of a form that was refused because these values are out of date. */
  constructor(before?: Record<string, string>) {
    this.#before = before
  }

  /** Returns the value that the field shows. */
  choose({ name, label, present, sent, describe = (value) => value }: OriginalValue): string {
    const now = abbreviate(describe(present))
    this.#filled[name] = now
    const was = this.#before?.[name]
    if (this.#before === undefined) return sent ?? present
    if (was === undefined) return present
    const typed = sent === undefined ? was : abbreviate(describe(sent))
    if (was !== now) {
      const entered = typed === was || typed === now ? undefined : formatOriginal(typed)
      this.differences.push({ label, was: formatOriginal(was), isNow: formatOriginal(now), entered })
    }
    return typed === was ? present : (sent ?? present)
  }

  /** Returns the content of the hidden field with the original values. */
  get text(): string {
    return JSON.stringify(this.#filled)
  }
}

/** Reads the original values from a submitted form. */
export function readOriginalValues(text: string | undefined): Record<string, string> {
  const found: unknown = parseJsonOrUndefined(text ?? '')
  if (typeof found !== 'object' || found === null) return {}
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

export function describeDifference({ label, was, isNow, entered }: ValueDifference): string {
  return entered === undefined
    ? t`${label} was ${was}, is now ${isNow}.`
    : t`${label} was ${was}, is now ${isNow}. You entered ${entered}.`
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Shortens a long text to its beginning and a hash. Normalizes line ends, because browsers send CRLF.
function abbreviate(value: string): string {
  const text = value.replace(/\r\n?/g, '\n')
  if (text.length <= SHOWN_LENGTH_MAX) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return `${text.slice(0, SHOWN_LENGTH_MAX).toWellFormed()}…\u0000${hash}`
}

function formatOriginal(remembered: string): string {
  const [text = ''] = remembered.split('\u0000')
  return text === '' ? t`empty` : t`“${text}”`
}
