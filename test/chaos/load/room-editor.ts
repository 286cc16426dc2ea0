// Somebody who edits rooms of one provider, in Berth and in their calendars. In the end, check/calendars.ts checks that both sides
// show the same meetings.
import { setTimeout as wait } from 'node:timers/promises'
import { isDatabaseUnavailable } from '../../../shared/database/faults.ts'
import type { Random } from '../../harness/random.ts'
import type { AnyWorld } from '../../workers/calendars/engine-world.ts'
import { RoomEdits } from '../../workers/calendars/room-edits.ts'
import { findDecisiveTry, type History } from '../history.ts'
import type { Stage } from '../stage/stage.ts'
import type { Sender } from './sender.ts'

export type RoomEditorOptions = {
  stage: Stage
  calendar: AnyWorld
  history: History
  sender: Sender
  random: Random
  index: number
}

// The refusals of an edit whose meeting another edit has changed meanwhile, in Berth or in the calendar.
const REFUSALS = ['booking_conflict', 'event_cancelled', 'not_found']
const WRITE_MS_MAX = 20_000
const PAUSES_MS = [0, 100, 400, 1_500]

export class RoomEditor {
  readonly edits: RoomEdits
  /** What was done, for the report of a finding. */
  readonly done: string[] = []
  readonly #parts: RoomEditorOptions
  #number = 0

  constructor(parts: RoomEditorOptions) {
    const { stage, calendar, random } = parts
    this.#parts = parts
    this.edits = new RoomEdits({
      database: stage.database,
      calendar,
      random: random.fork(),
      send: (method, path, body) => this.#send(method, path, body),
    })
  }

  async act(): Promise<void> {
    try {
      this.#note(await this.edits.editOnce())
    } catch (error) {
      // The editor looks into the database to find what to edit.
      if (!isDatabaseUnavailable(error)) throw error
    }
    await wait(this.#parts.random.pick(PAUSES_MS))
  }

  async #send(method: string, path: string, body?: object): Promise<string> {
    const { history, sender, index } = this.#parts
    const mark = `r${index}-${++this.#number}`
    const named = path === 'events' ? { ...body, name: mark } : body
    const request = { method, path, ...(named && { body: named }) }
    const write = history.begin({
      mark,
      kind: 'edit a room with a calendar',
      token: 0,
      key: mark,
      request,
      refusals: REFUSALS,
    })
    const verdict = await sender.perform(write, WRITE_MS_MAX)
    const decisive = findDecisiveTry(write)
    return ` (${mark}, ${[verdict, decisive?.id, decisive?.code].filter(Boolean).join(' ')})`
  }

  #note(text: string): void {
    this.done.push(`${new Date().toISOString().slice(14, 23)} ${text}`)
  }
}
