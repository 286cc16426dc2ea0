// An MCP client for tests, based on the SDK. It checks structured results against the output schemas of the tools.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'chai'
import { createToken, type NewToken } from '../../../../shared/tokens/token-store.ts'
import type { World } from '../../../support/world.ts'

export type ToolResult = {
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
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

  async call(name: string, given: Record<string, unknown> = {}): Promise<ToolResult> {
    const { structuredContent, content, isError } = await this.#client.callTool({ name, arguments: given })
    const [block] = content as Array<{ type: string; text: string }>
    return { structured: structuredContent, text: block?.text ?? '', isError: isError === true }
  }

  /** Returns the structured result of a tool call, which must succeed. */
  async ask(name: string, given: Record<string, unknown> = {}): Promise<ToolResult['structured']> {
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

const ZONE_OFFSET_HOURS = 12 - new Date().getUTCHours()
const HOUR_MS = 3_600_000

/** Returns a time zone where it is about noon now, so that no test runs past local midnight. */
export function findZoneAtNoon(): string {
  return `Etc/GMT${ZONE_OFFSET_HOURS > 0 ? '-' : '+'}${Math.abs(ZONE_OFFSET_HOURS)}`
}

/** Returns the instant of a local hour in `findZoneAtNoon()`, the given number of days from today. */
export function at(hour: number, days = 1): string {
  return new Date(getLocalTime(hour, days).getTime() - ZONE_OFFSET_HOURS * HOUR_MS).toISOString()
}

/** Returns the date in `findZoneAtNoon()`, the given number of days from today. */
export const getDateAtNoonZone = (days: number): string => getLocalTime(0, days).toISOString().slice(0, 10)

function getLocalTime(hour: number, days: number): Date {
  const clock = new Date(Date.now() + ZONE_OFFSET_HOURS * HOUR_MS)
  clock.setUTCDate(clock.getUTCDate() + days)
  clock.setUTCHours(hour, 0, 0, 0)
  return clock
}
