// The original values of a form, stored in the form itself. If another user has changed some of them
// meanwhile, the form shows the old, current and entered value of each. Fields that the user did not edit
// take the new value.
import { createHash } from 'node:crypto'
import { t } from '../../locales/translate.ts'

const SHOWN_MAX = 200

type Difference = { label: string; was: string; isNow: string; entered: string | undefined }
type Original = {
  name: string
  label: string
  /** The value that the form would be filled with now. */
  present: string
  /** The submitted value of a form that came back. */
  sent?: string | undefined
  /** The text of a choice, if it differs from the value. */
  describe?: (value: string) => string
}

export class Originals {
  readonly differences: Difference[] = []
  readonly #filled: Record<string, string> = {}
  readonly #before: Record<string, string> | undefined

  /** `before`: the original values of a form that came back because they are out of date. */
  constructor(before?: Record<string, string>) {
    this.#before = before
  }

  /** Returns what the field shows. */
  choose({ name, label, present, sent, describe = (value) => value }: Original): string {
    const now = brief(describe(present))
    this.#filled[name] = now
    const was = this.#before?.[name]
    if (this.#before === undefined) return sent ?? present
    if (was === undefined) return present
    const typed = sent === undefined ? was : brief(describe(sent))
    if (was !== now) {
      const entered = typed === was || typed === now ? undefined : shown(typed)
      this.differences.push({ label, was: shown(was), isNow: shown(now), entered })
    }
    return typed === was ? present : (sent ?? present)
  }

  /** The content of the hidden field. */
  get text(): string {
    return JSON.stringify(this.#filled)
  }
}

/** Reads the original values from a submitted form. */
export function readOriginals(text: string | undefined): Record<string, string> {
  const found: unknown = parse(text ?? '')
  if (typeof found !== 'object' || found === null) return {}
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

export function describeDifference({ label, was, isNow, entered }: Difference): string {
  return entered === undefined
    ? t`${label} was ${was}, is now ${isNow}.`
    : t`${label} was ${was}, is now ${isNow}. You entered ${entered}.`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Stores a long text as its beginning and a hash. Normalizes line ends, because browsers send CRLF.
function brief(value: string): string {
  const text = value.replace(/\r\n?/g, '\n')
  if (text.length <= SHOWN_MAX) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return `${text.slice(0, SHOWN_MAX).toWellFormed()}…\u0000${hash}`
}

function shown(remembered: string): string {
  const [text = ''] = remembered.split('\u0000')
  return text === '' ? t`empty` : t`“${text}”`
}
