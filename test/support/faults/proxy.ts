// A TCP proxy between a process and Postgres or Redis: it simulates network failures, and can react to certain bytes.
// It finds a text only if the text is not split over two packets.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { hooks } from '../hooks.ts'

export type Direction = 'server' | 'client'

/**
 * What happens to the bytes that triggered a trap. Held bytes wait for `restore`, and are lost if their connection
 * breaks.
 */
export type TrapAction = 'forward' | 'hold' | 'drop'

type Trap = { toward: Direction; text: string; spring(link: Link): TrapAction }
type State = 'open' | 'frozen' | 'cut'

// Below the range of ports for outgoing connections, because an outgoing connection could take the port of a
// cut proxy. Each test process has its own part of the range, so that no proxy of another process takes the
// port either.
const PORTS_PER_PROCESS = 2_500
const FIRST_PORT = 20_000 + PORTS_PER_PROCESS * (Number(process.env.MOCHA_WORKER_ID ?? 0) % 4)

const open = new Set<TcpProxy>()

export async function startProxy(targetUrl: string): Promise<TcpProxy> {
  const proxy = new TcpProxy(targetUrl)
  await proxy.restore()
  open.add(proxy)
  return proxy
}

/** Closes proxies that failed tests left open. */
export async function closeProxies() {
  await Promise.all([...open].map((proxy) => proxy.close()))
}

hooks.afterFile.proxies = closeProxies

export class TcpProxy {
  readonly #target: { host: string; port: number }
  readonly #targetUrl: string
  readonly #links = new Set<Link>()
  readonly #traps = new Set<Trap>()
  /** The delay of each packet, in both directions. */
  delayMs = 0
  #state: State = 'cut'
  #server: Server | undefined
  #port = 0

  constructor(targetUrl: string) {
    const { hostname: host, port } = new URL(targetUrl)
    this.#target = { host, port: Number(port) }
    this.#targetUrl = targetUrl
  }

  /** The target's URL through the proxy. */
  get url(): string {
    const url = new URL(this.#targetUrl)
    url.host = `127.0.0.1:${this.#port}`
    return url.href
  }

  get targetPort(): number {
    return this.#target.port
  }

  get links(): Link[] {
    return [...this.#links]
  }

  /** Drops every connection, and refuses new ones. */
  async cut() {
    this.#state = 'cut'
    const server = this.#server
    const closed = server?.listening ? once(server, 'close') : undefined
    server?.close()
    for (const link of this.#links) link.drop()
    await closed
  }

  /** Accepts all data and new connections, but forwards nothing. */
  freeze() {
    this.#state = 'frozen'
  }

  /**
   * Ends the fault. Data that a frozen proxy has accepted arrives late, as in a network that recovers. With `lost`,
   * existing connections stay silent forever, as after a machine died.
   */
  async restore({ lost = false } = {}) {
    const wasCut = this.#state === 'cut'
    this.#state = 'open'
    if (wasCut) await this.#listen()
    if (lost) for (const link of this.#links) link.lose()
    for (const link of this.#links) link.flush()
  }

  /** Calls `spring` whenever the text is about to pass. Returns a function that removes the trap. */
  trap(toward: Direction, text: string, spring: Trap['spring']): () => void {
    const trap = { toward, text, spring }
    this.#traps.add(trap)
    return () => this.#traps.delete(trap)
  }

  /** Applies `fate` to a text the given number of times. Returns a promise that settles at the last time. */
  catch(
    toward: Direction,
    text: string,
    fate: TrapAction | ((link: Link) => TrapAction),
    times = 1,
  ): Promise<void> {
    return new Promise((resolve) => {
      let left = times
      const remove = this.trap(toward, text, (link) => {
        left--
        if (left === 0) {
          remove()
          resolve()
        }
        return typeof fate === 'function' ? fate(link) : fate
      })
    })
  }

  async close() {
    open.delete(this)
    await this.cut()
  }

  async #listen() {
    for (;;) {
      const port = this.#port || this.#drawPort()
      const server = createServer((client) => this.#accept(client))
      try {
        server.listen({ port, host: '127.0.0.1' })
        await once(server, 'listening')
        this.#server = server
        this.#port = port
        return
      } catch (error) {
        const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
        if (!taken || this.#port) throw error
      }
    }
  }

  #drawPort(): number {
    for (;;) {
      const port = FIRST_PORT + Math.floor(Math.random() * PORTS_PER_PROCESS)
      if (![...open].some((other) => other.#port === port)) return port
    }
  }

  #accept(client: Socket) {
    const link = new Link(client, connect(this.#target), {
      isFrozen: () => this.#state === 'frozen',
      delayMs: () => this.delayMs,
      fateOf: (toward, bytes, passing) => this.#fateOf(toward, bytes, passing),
      ended: (ended) => this.#links.delete(ended),
    })
    this.#links.add(link)
  }

  #fateOf(toward: Direction, bytes: Buffer, link: Link): TrapAction {
    const trap = [...this.#traps].find((each) => each.toward === toward && bytes.includes(each.text))
    return trap ? trap.spring(link) : 'forward'
  }
}

type Rules = {
  isFrozen(): boolean
  delayMs(): number
  fateOf(toward: Direction, bytes: Buffer, link: Link): TrapAction
  ended(link: Link): void
}

/** A connection through the proxy. */
export class Link {
  readonly #pipes: Pipe[]
  readonly #rules: Rules
  #losesAnswer = false

  constructor(client: Socket, server: Socket, rules: Rules) {
    this.#rules = rules
    this.#pipes = [new Pipe(client, server), new Pipe(server, client)]
    for (const [index, pipe] of this.#pipes.entries()) {
      const toward = index === 0 ? 'server' : 'client'
      pipe.source.setNoDelay(true)
      pipe.source.on('data', (bytes: Buffer) => this.#pass(pipe, toward, bytes))
      pipe.source.on('error', () => undefined)
      pipe.source.on('close', () => this.#end(pipe))
    }
  }

  drop() {
    for (const { source } of this.#pipes) source.destroy()
    this.#rules.ended(this)
  }

  /** Drops the next bytes from the server, and closes the connection. */
  loseAnswer() {
    this.#losesAnswer = true
  }

  /** Whether one side has closed the connection. */
  get hasEnded(): boolean {
    return this.#pipes.some((pipe) => pipe.hasEnded)
  }

  lose() {
    for (const pipe of this.#pipes) pipe.isLost = true
  }

  flush() {
    for (const pipe of this.#pipes) pipe.flush()
    if (this.hasEnded) this.#close()
  }

  #pass(pipe: Pipe, toward: Direction, bytes: Buffer) {
    if (this.#losesAnswer && toward === 'client') return this.drop()
    if (pipe.isHeld || this.#rules.isFrozen()) return void pipe.held.push(bytes)
    const fate = this.#rules.fateOf(toward, bytes, this)
    if (fate === 'forward') pipe.forward(bytes, this.#rules.delayMs())
    if (fate !== 'hold') return
    pipe.isHeld = true
    pipe.held.push(bytes)
  }

  // A frozen network does not tell the other side that a connection ended.
  #end(pipe: Pipe) {
    pipe.hasEnded = true
    if (!this.#rules.isFrozen() && !pipe.isLost) this.#close()
  }

  #close() {
    for (const pipe of this.#pipes) pipe.close()
    this.#rules.ended(this)
  }
}

class Pipe {
  readonly source: Socket
  readonly target: Socket
  held: Buffer[] = []
  isHeld = false
  isLost = false
  hasEnded = false
  /** The number of delayed packets, which arrive in the order in which they were sent. */
  #onTheirWay = 0
  #arrival: Promise<void> = Promise.resolve()

  constructor(source: Socket, target: Socket) {
    this.source = source
    this.target = target
  }

  forward(bytes: Buffer, delayMs: number) {
    if (delayMs === 0 && this.#onTheirWay === 0) return void this.target.write(bytes)
    this.#onTheirWay++
    const due = wait(delayMs)
    this.#arrival = this.#arrival
      .then(() => due)
      .then(() => {
        this.#onTheirWay--
        if (!this.target.destroyed) this.target.write(bytes)
      })
  }

  close() {
    if (this.#onTheirWay === 0) this.target.destroySoon()
    else this.#arrival.then(() => this.target.destroySoon())
  }

  flush() {
    this.isHeld = this.isLost
    if (this.isLost) return
    for (const bytes of this.held.splice(0)) this.forward(bytes, 0)
  }
}
