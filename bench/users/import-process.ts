// Sends imports from a separate process, as the raw bytes of the file. This takes as little CPU from this
// machine as a remote caller would; otherwise, the measured latency of bookings would include the cost of
// sending files.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { performTasks } from '../stage/tasks.ts'
import type { ImportBenchStage } from './stage.ts'

export type ImportRequest = { url: string; headers: ImportBenchStage['headers']; path: string }

const BOUNDARY = 'file-of-the-bench'
const PART_HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="users.csv"\r\n\r\n`
const BODY_END = `\r\n--${BOUNDARY}--\r\n`

performTasks(importFile)

async function importFile({ url, headers, path }: ImportRequest): Promise<void> {
  const asked = request(`${url}/api/v1/users/import`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
  })
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>
  asked.write(PART_HEAD)
  createReadStream(path)
    .on('end', () => asked.end(BODY_END))
    .pipe(asked, { end: false })
  const [answer] = await answered
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 200) throw new Error(`The import was answered with ${answer.statusCode}`)
}
