// An agent of the tests: the SDK's own client over HTTP. It checks structured answers against the schemas of their tools.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'chai'
import { createToken, type NewToken } from '../../../../shared/tokens/token-store.ts'
import type { World } from '../../../support/world.ts'

export type Called = {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form
  structured: any
  text: string
  isError: boolean
}

export class Agent {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  get instructions(): string {
    return this.#client.getInstructions() ?? ''
  }

  get sdk(): Client {
    return this.#client
  }

  async toolNames(): Promise<string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name)
  }

  async call(name: string, given: Record<string, unknown> = {}): Promise<Called> {
    const { structuredContent, content, isError } = await this.#client.callTool({ name, arguments: given })
    const [block] = content as Array<{ type: string; text: string }>
    return { structured: structuredContent, text: block?.text ?? '', isError: isError === true }
  }

  /** The structured answer of a call that is not refused. */
  async ask(name: string, given: Record<string, unknown> = {}): Promise<Called['structured']> {
    const { structured, text, isError } = await this.call(name, given)
    expect(isError, text).to.equal(false)
    return structured
  }

  async resource(uri: string) {
    const [content] = (await this.#client.readResource({ uri })).contents
    return JSON.parse(String((content as { text: string }).text))
  }

  close() {
    return this.#client.close()
  }
}

export async function connectAgent(world: World, token: Partial<NewToken> = {}): Promise<Agent> {
  const abilities = token.abilities ?? ['read', 'booking-write']
  const created = await createToken(world.database, { name: 'agent', createdBy: 'test', ...token, abilities })
  return connectWith(world.url, created.token)
}

export async function connectWith(url: string, token: string): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  // Compiles the output schemas, against which it then checks every answer.
  await client.listTools()
  return new Agent(client)
}

const AHEAD_HOURS = 12 - new Date().getUTCHours()
const HOUR_MS = 3_600_000

/** A time zone where it is about noon: no test passes midnight there. */
export function zoneAtNoon(): string {
  return `Etc/GMT${AHEAD_HOURS > 0 ? '-' : '+'}${Math.abs(AHEAD_HOURS)}`
}

/** The instant of an hour of a day there, so many days from today. */
export function at(hour: number, days = 1): string {
  return new Date(there(hour, days).getTime() - AHEAD_HOURS * HOUR_MS).toISOString()
}

/** The date there, so many days from today. */
export const dayThere = (days: number): string => there(0, days).toISOString().slice(0, 10)

function there(hour: number, days: number): Date {
  const clock = new Date(Date.now() + AHEAD_HOURS * HOUR_MS)
  clock.setUTCDate(clock.getUTCDate() + days)
  clock.setUTCHours(hour, 0, 0, 0)
  return clock
}
