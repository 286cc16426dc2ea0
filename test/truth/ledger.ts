// What was answered, held against what is there: 2xx is there, a refusal or 503 is not and never will be, 504 may be
// either, and a repeat with the same key tells which.
import { setTimeout as wait } from 'node:timers/promises'
import type { Answered, Client } from '../support/http/http.ts'
import type { World } from '../support/world.ts'
import type { Write } from './writes.ts'

export type Lie = { mark: string; said: string; is: string }

type Verdict = 'done' | 'not done' | 'unknown'
type Entry = { write: Write; said: string; verdict: Verdict; verdicts: Verdict[] }

const REPEAT_AFTER_MS = 200
const ANSWERS = new Set([
  'not_executed',
  'unavailable',
  'outcome_unknown',
  'booking_conflict',
  'idempotency_key_in_use',
])

export class Ledger {
  readonly lies: Lie[] = []
  readonly #entries: Entry[] = []

  /** Sends it once; what has been said of it is looked up at once. */
  async enter(write: Write, client: Client): Promise<void> {
    const answer = await this.#send(write, client)
    const verdict = verdictOf(answer)
    this.#entries.push({ write, said: describe(answer), verdict, verdicts: [verdict] })
    await this.#hold(write, describe(answer), verdict)
  }

  /** Repeats what is unknown with the same key, when all is well again, until it is known. */
  async resolve(client: Client): Promise<void> {
    await Promise.all(
      this.#entries
        .filter(({ verdict }) => verdict === 'unknown')
        .map(async (entry) => {
          while (entry.verdict === 'unknown') {
            const answer = await this.#send(entry.write, client)
            // Called off or refused at the door, this attempt has not happened; the first one may have.
            entry.verdict = answer.status === 503 ? 'unknown' : verdictOf(answer)
            entry.said = `${entry.said}, then ${describe(answer)}`
            if (entry.verdict === 'unknown') await wait(REPEAT_AFTER_MS)
          }
        }),
    )
  }

  /** Everything once more, when nothing can happen any longer; and each done write stands in the audit log once. */
  async close(world: World): Promise<void> {
    const marks = this.#entries.map(({ write }) => write.mark)
    const { rows } = await world.database.raw(
      'SELECT request_id, count(*)::int AS n FROM audit_log WHERE request_id = ANY(?) GROUP BY request_id',
      [marks],
    )
    const audited = new Map<string, number>(
      rows.map(({ request_id, n }: { request_id: string; n: number }) => [request_id, n]),
    )
    for (const { write, said, verdict } of this.#entries) {
      await this.#hold(write, said, verdict)
      const count = audited.get(write.mark) ?? 0
      if (verdict !== 'unknown' && count !== Number(verdict === 'done')) {
        this.lies.push({ mark: write.mark, said, is: `${count} times in the audit log` })
      }
    }
  }

  expectEntries(count: number): void {
    if (this.#entries.length < count)
      throw new Error(`Only ${this.#entries.length} writes have been answered`)
  }

  /** How often what was answered. */
  get summary(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { said } of this.#entries) counts[said] = (counts[said] ?? 0) + 1
    return counts
  }

  async #send(write: Write, client: Client): Promise<Answered> {
    const answer = await write.send(client)
    if (answer.status >= 300 && !ANSWERS.has(answer.json.code)) {
      this.lies.push({ mark: write.mark, said: answer.text, is: 'no answer that this write could have' })
    }
    return answer
  }

  async #hold(write: Write, said: string, verdict: Verdict): Promise<void> {
    if (verdict === 'unknown') return
    const count = await write.count()
    if (count !== Number(verdict === 'done'))
      this.lies.push({ mark: write.mark, said, is: `there ${count} times` })
  }
}

function verdictOf(answer: Answered): Verdict {
  if (answer.status < 300) return 'done'
  const { code } = answer.json
  return code === 'outcome_unknown' || code === 'idempotency_key_in_use' ? 'unknown' : 'not done'
}

function describe(answer: Answered): string {
  return answer.status < 300 ? String(answer.status) : `${answer.status} ${answer.json.code}`
}
