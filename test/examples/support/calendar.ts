// The external calendar of examples/calendar-sync.mjs: a small HTTP service that keeps its entries in memory.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { useWith } from '../../support/use.ts'

export type Entry = {
  id: string
  version: number
  email: string
  desk: number
  start: string
  end: string
  changed_by: string
  deleted?: boolean
  refused?: string
}

export type Calendar = {
  url: string
  entries: Map<string, Entry>
  /** The number of further writes that the calendar executes but answers with 503, as if the response had been lost. */
  failures: number
  /** Changes an entry as a person would. */
  put(id: string, entry: Partial<Entry>): void
  close(): Promise<void>
}

export const useCalendar = (world: object): Calendar =>
  useWith(world, startCalendar, (calendar) => calendar.close())

async function startCalendar(): Promise<Calendar> {
  let version = 0
  const entries = new Map<string, Entry>()
  const write = (id: string, entry: Partial<Entry>, changed_by: string) =>
    entries.set(id, { ...(entry as Entry), id, version: ++version, changed_by })
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://calendar')
    const id = decodeURIComponent(pathname.split('/')[2] ?? '')
    if (request.method === 'GET') {
      const since = Number(searchParams.get('since'))
      const found = [...entries.values()].filter((entry) => entry.version > since)
      found.sort((one, other) => one.version - other.version)
      return response.end(JSON.stringify({ entries: found }))
    }
    const author = String(request.headers['x-changed-by'])
    if (request.method === 'PUT') write(id, (await json(request)) as Entry, author)
    else if (entries.has(id)) write(id, { ...entries.get(id), deleted: true }, author)
    return response.writeHead(calendar.failures-- > 0 ? 503 : 204).end()
  })
  const calendar: Calendar = {
    url: '',
    entries,
    failures: 0,
    put: (id, entry) => write(id, { ...entries.get(id), ...entry }, 'anna'),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  calendar.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return calendar
}
