// Every command that a Redis runs, line by line, as its MONITOR tells them. On a socket of its own: ioredis takes the
// commands that come with the first answer for answers, and fails.
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

type RedisCommand = {
  database: string
  /** The address of its client, or `lua`. */
  source: string
  name: string
  /** As Redis writes it: the name and each argument in quotation marks. */
  text: string
}

const COMMAND = /^\+[\d.]+ \[(\d+) (\S+)\] ("(.*?)".*)$/

export async function monitorRedis(
  url: string,
  onCommand: (command: RedisCommand) => void,
): Promise<{ stop(): void }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const lines = createInterface({ input: socket })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    lines.once('line', () => resolve())
    lines.on('line', (line) => {
      const [, database, source, text, name] = COMMAND.exec(line) ?? []
      if (database && source && text && name) onCommand({ database, source, text, name })
    })
    socket.write('MONITOR\r\n')
  })
  return { stop: () => void socket.destroy() }
}
