// Resolves the host of a webhook, and refuses private networks. A name is looked up once, and the checked
// address is the one to connect to.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Message, message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import { PrivateNetworks } from '../../shared/utilities/private-networks.ts'

/** A host that Berth does not send to. */
export class UnreachableHost extends Error {
  readonly told: Message

  constructor(told: Message) {
    super(writeEnglish(told))
    this.told = told
  }
}

export type Address = { address: string; family: number }
export type Lookup = (hostname: string) => Promise<Address[]>

const systemLookup: Lookup = (hostname) => lookup(hostname, { all: true })

export class Networks {
  readonly #networks: PrivateNetworks
  readonly #lookup: Lookup

  /** `allowed` are addresses and networks: WEBHOOK_ALLOW_PRIVATE. */
  constructor(allowed: string[], lookUp: Lookup = systemLookup) {
    this.#networks = new PrivateNetworks(allowed)
    this.#lookup = lookUp
  }

  /** The address to connect to. Refused if any address is private, or else the DNS server could choose it. */
  async resolve(hostname: string): Promise<Address> {
    const plain = hostname.replace(/^\[|\]$/g, '')
    const family = isIP(plain)
    const addresses = family ? [{ address: plain, family }] : await this.#lookup(plain)
    for (const { address } of addresses)
      if (!this.#networks.isReachable(address))
        throw new UnreachableHost(message`${hostname} is in a private network`)
    const [first] = addresses
    if (!first) throw new UnreachableHost(message`${hostname} has no address`)
    return first
  }
}
