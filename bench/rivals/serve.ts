// The server that all rivals share. It answers the measured requests and does nothing else: no tokens, logs or checks.
import type { IncomingMessage, RequestListener } from 'node:http'
import { createServer } from 'node:http'

export const BASE_URL = 'https://desk.example.com'
// The maximum number of Postgres connections, which equals the default of a gateway and a worker together.
export const CONNECTIONS_MAX = 10

/** The body of a booking request, which the load generator sends. */
export type BookingBody = {
  bookable_id: number
  location_id: number
  user_id: number
  from_time: string
  to_time: string
}

/** The kind of resource whose bookings are listed. */
export type BookingParent = 'locations' | 'buildings' | 'users'

export type RivalAnswers = {
  /** The operations of a rival. Each method returns the complete text of a response. */
  user?(id: number): Promise<string>
  bookings?(of: BookingParent, id: number, from: string, to: string): Promise<string>
  occupancy?(location: number): Promise<string>
  booking?(body: BookingBody): Promise<string>
}

export function getDatabaseUrl(): string {
  const { DATABASE_URL } = process.env
  if (!DATABASE_URL) throw new Error('DATABASE_URL is not set')
  return DATABASE_URL
}

export function listenAsRival(listener: RequestListener): void {
  createServer(listener).listen(Number(process.env.PORT), '127.0.0.1')
  process.on('disconnect', () => process.exit(0))
}

export function serveRival(answers: RivalAnswers): void {
  listenAsRival(async (request, response) => {
    try {
      const text = await answerRequest(request, answers)
      response.statusCode = text === undefined ? 404 : 200
      response.setHeader('Content-Type', 'application/json')
      response.end(text)
    } catch (error) {
      console.error(error)
      response.statusCode = 500
      response.end()
    }
  })
}

async function answerRequest(request: IncomingMessage, answers: RivalAnswers): Promise<string | undefined> {
  const { method, url = '/' } = request
  if (method === 'POST') return answers.booking?.(JSON.parse(await readBody(request)))
  const { pathname, searchParams } = new URL(url, BASE_URL)
  const [, , , kind, id, rest] = pathname.split('/')
  if (!kind) return '{}'
  if (rest === 'bookings')
    return answers.bookings?.(
      kind as BookingParent,
      Number(id),
      searchParams.get('from') ?? '',
      searchParams.get('to') ?? '',
    )
  return kind === 'users' ? answers.user?.(Number(id)) : answers.occupancy?.(Number(id))
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => resolve(text))
    request.on('error', reject)
  })
}
