// Creates screens as the dashboard does, and follows their event feed.
import type { Knex } from 'knex'
import { generateToken, hashToken } from '../../../shared/tokens/token-store.ts'

type NewScreen = {
  kind?: 'door' | 'lobby'
  bookable_id?: number
  building_id?: number
  booking_user_id?: number | null
  names?: string
  appearance?: string
  language?: string
  name?: string
}

export async function createScreen(database: Knex, screen: NewScreen) {
  const secret = generateToken('screen')
  const defaults = { kind: 'door', name: 'Door', names: 'full', appearance: 'light', language: 'en' }
  const rows = await database('screens').insert({ ...defaults, ...screen, hash: hashToken(secret) }, 'id')
  return { id: Number(rows[0].id), secret, path: `/screens/${secret}` }
}

export type ScreenEvent = { event: string; data: Record<string, unknown> }

/** Follows a screen until it is closed, and appends to `events`. */
export async function followScreen(url: string, path: string, have = '') {
  const controller = new AbortController()
  const answer = await fetch(`${url}${path}/feed?have=${have}`, { signal: controller.signal })
  const events: ScreenEvent[] = []
  const feed = { status: answer.status, events, isEnded: false, close: () => controller.abort() }
  const read = async () => {
    let text = ''
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString()
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const [, event = '', data = '{}'] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? []
        events.push({ event, data: JSON.parse(data) })
      }
    }
  }
  read()
    .catch(() => undefined)
    .finally(() => {
      feed.isEnded = true
    })
  return feed
}
