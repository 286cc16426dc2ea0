// The history of a run: every write, every attempt of its client, and every answer.
import type { Finding } from '../harness/findings.ts'

export type Kind =
  | 'book'
  | 'compete'
  | 'move'
  | 'shift'
  | 'cancel'
  | 'cancel again'
  | 'book a blocked one'
  | 'meet'
  | 'meet in contended rooms'
  | 'rearrange'
  | 'set a state'
  | 'check in'
  | 'request'
  | 'decide'
  | 'reuse a key'
  | 'import'
  | 'import without waiting'
  | 'book together'
  | 'undo'
  | 'swap'
  | 'visitor'
  | 'book at a door'
  | 'end at a door'

export type Request = {
  method: string
  path: string
  body?: unknown
  /** An import's. */
  file?: { name: string; text: string }
  wantsAsync?: boolean
  /** A dashboard form, or without a cookie a press at a screen, instead of an API request. */
  form?: { fields: string; cookie?: string }
}

export type Conflict = { bookable_id: number; from: string; to: string | null }

/** One request of a client. */
export type Try = {
  requestId: string
  sentMs: number
  /** Undefined while it waits for its answer. */
  tookMs?: number
  /** 0 where no answer came. */
  status: number
  code?: string
  isReplay?: boolean
  /** Of what the answer is about: a row, or an accepted job. */
  id?: string
  conflict?: Conflict
  bodyHash?: string
}

/** A write as its client means it: repeats are tries of the same one, with the same key. */
export type Write = {
  mark: string
  kind: Kind
  token: number
  key: string
  request: Request
  /** A request id that several writes share, instead of one for each try. */
  sharedRequestId?: string
  /** The refusals that this write may meet. */
  refusals: readonly string[]
  /** It must meet one of them. */
  isWrong?: boolean
  /** What it claims is given up by nobody, so whoever was refused for it was refused for somebody. */
  isForGood?: boolean
  /** What is wrong with an answer of 2xx to it. */
  mismatch?(data: unknown): string | undefined
  tries: Try[]
}

/**
 * What its client knows: done and refused are the truth for good. Not executed: only 503s were heard. Failed: a 500.
 * Unknown: there was a try that may or may not have been done.
 */
export type Verdict = 'done' | 'refused' | 'not executed' | 'failed' | 'unknown'

export function verdictOf({ tries }: Pick<Write, 'tries'>): Verdict {
  const decisive = decisiveTry({ tries })
  if (decisive) return decisive.status < 300 ? 'done' : decisive.status < 500 ? 'refused' : 'failed'
  return tries.every(({ status }) => status === 503) ? 'not executed' : 'unknown'
}

/** The first answer that settles it; undefined while it is to be repeated. */
export function decisiveTry({ tries }: Pick<Write, 'tries'>): Try | undefined {
  return tries.find(({ status, code }) => {
    if (status === 0 || status === 503 || status === 504) return false
    return code !== 'idempotency_key_in_use'
  })
}

function describe({ kind, tries }: Write): string {
  const heard = tries.map(({ status, code, isReplay, id }) =>
    [status || 'no answer', code, isReplay ? 'replayed' : '', id ? `id ${id}` : ''].filter(Boolean).join(' '),
  )
  return `${kind}: ${heard.join(', then ')}`
}

/** Every way to break a promise; each must have been met 0 times. */
export const BROKEN = [
  'acknowledged and missing',
  'refused and present',
  'answered 503 and present',
  'double-booked',
  'a key with two effects',
  'an audit row without its write, or a write without its audit row',
  'an answer that is not documented, a 5xx other than 503 and 504',
  'never resolved by its repeats',
  'the answer of another write',
  'refused, and nobody was in the way',
  'a repeat that did not get the first answer',
  'booked while blocked',
  'checked in after the release',
  'a request or offer that was decided twice, or keeps a place that is not its own',
  'offered to somebody who came later',
  'a place that is held for ever, or free while somebody waits',
  'a change that does not say in which buildings it was',
  'a change that is never served',
  'a transaction that held back the change feed',
  'an undo or a swap that changed something else',
  'accepted and not done',
  'no answer within 10 s of a worker’s kill',
  'not well again when the faults were over',
] as const
export type Broken = (typeof BROKEN)[number]

export class History {
  readonly writes: Write[] = []
  readonly findings: Array<Finding<Broken>> = []
  readonly waiting = new Set<Try>()
  /** Writes that have been decided: done or refused. */
  decided = 0

  begin(write: Omit<Write, 'tries'>): Write {
    const begun = { ...write, tries: [] }
    this.writes.push(begun)
    return begun
  }

  find(promise: Broken, write: Write | undefined, what: string): void {
    this.findings.push({ promise, what, about: write ? [`${write.mark}, ${describe(write)}`] : [] })
  }
}
