// Records every command that a Redis server runs, with the command MONITOR. Uses its own socket, because
// ioredis fails if commands arrive together with the response to MONITOR.
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

type RedisCommand = {
  database: string
  /** The address of the client, or `lua`. */
  source: string
  name: string
  /** The name and each argument in quotation marks, as Redis prints them. */
  text: string
}

const COMMAND_PATTERN = /^\+[\d.]+ \[(\d+) (\S+)\] ("(.*?)".*)$/

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
      const [, database, source, text, name] = COMMAND_PATTERN.exec(line) ?? []
      if (database && source && text && name) onCommand({ database, source, text, name })
    })
    socket.write('MONITOR\r\n')
  })
  return { stop: () => void socket.destroy() }
}
