// Sends imports from a separate process, as raw bytes of the file, with as little CPU as a remote caller
// takes from this machine. Otherwise the latency of bookings would include the cost of sending files.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { doTasks } from '../stage/tasks.ts'
import type { Stage } from './stage.ts'

export type ImportRequest = { url: string; headers: Stage['headers']; path: string }

const BOUNDARY = 'file-of-the-bench'
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="users.csv"\r\n\r\n`
const TAIL = `\r\n--${BOUNDARY}--\r\n`

doTasks(importFile)

async function importFile({ url, headers, path }: ImportRequest): Promise<void> {
  const asked = request(`${url}/api/v1/users/import`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
  })
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>
  asked.write(HEAD)
  createReadStream(path)
    .on('end', () => asked.end(TAIL))
    .pipe(asked, { end: false })
  const [answer] = await answered
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 200) throw new Error(`The import was answered with ${answer.statusCode}`)
}
