// Which address a webhook's host has: never one of a private network. A name is looked up once, and what was checked is what is
// connected to.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Message, message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import { PrivateNetworks } from '../../shared/utilities/private-networks.ts'

/** A host that nothing is sent to. */
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

  /** The address to connect to. Refused where one of several is private: whoever answers would choose. */
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
