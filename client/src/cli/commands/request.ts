// The command that sends any request to the API.
import { readFileSync } from 'node:fs'
import { type Command, UsageError } from '../terminal/command.ts'
import { connectToServer } from '../terminal/config.ts'
import { print, printJson, readInput } from '../terminal/terminal.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export const requestCommand: Command = {
  name: 'request',
  summary: 'Sends a request to the API, and prints its answer.',
  takes: ['METHOD', 'PATH'],
  text: 'The path may lack /api/v1/. A write is repeated under one idempotency key if its answer is lost.',
  options: {
    data: { value: 'JSON', text: 'The body; @FILE reads a file, and - the standard input.' },
    header: { value: 'LINE', text: 'Such as "If-Match: ..."; may be repeated.', isList: true },
    include: { text: 'Prints the status and the headers, too.' },
  },
  examples: [
    'berth request GET me',
    `berth request PATCH bookings/815 --data '{"to_time": "2026-11-20T12:00:00Z"}'`,
  ],
  async run(given) {
    const [method = '', path = ''] = given.positionals
    if (!METHODS.includes(method.toUpperCase()))
      throw new UsageError(`METHOD must be one of ${METHODS.join(', ')}.`)
    const headers = Object.fromEntries(given.list('header').map(readHeader))
    const data = given.option('data')
    const json = data === undefined ? undefined : parseJson(await readData(data))
    const whole = path.startsWith('/') ? path : `/api/v1/${path}`
    const { data: answer, response } = await connectToServer(given).request(method.toUpperCase(), whole, {
      ...(json === undefined ? {} : { json }),
      options: { headers, signal: given.signal },
      isText: true,
    })
    if (given.flag('include')) {
      print(`${response.status} ${response.statusText}`)
      for (const [name, value] of response.headers) print(`${name}: ${value}`)
      print('')
    }
    const text = String(answer ?? '')
    if (text === '') return
    if (response.headers.get('Content-Type')?.startsWith('application/json')) printJson(JSON.parse(text))
    else process.stdout.write(text)
  },
}

function readHeader(line: string): [string, string] {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
  if (!name || value === undefined) throw new UsageError(`“${line}” is no header such as "If-Match: …".`)
  return [name, value]
}

const readData = (data: string): string | Promise<string> =>
  data === '-' ? readInput() : data.startsWith('@') ? readFileSync(data.slice(1), 'utf8') : data

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--data is no JSON: ${(error as Error).message}`)
  }
}
