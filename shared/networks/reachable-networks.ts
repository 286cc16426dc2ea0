// Looks up hosts that people or settings name, and keeps Berth from connecting to private networks.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Message, message } from '../messages/message.ts'
import { writeEnglish } from '../messages/write-message.ts'
import { PrivateNetworks } from '../utilities/private-networks.ts'

/** Thrown for a host to which Berth does not send messages. */
export class UnreachableHost extends Error {
  readonly detail: Message

  constructor(detail: Message) {
    super(writeEnglish(detail))
    this.detail = detail
  }
}

type Address = { address: string; family: number }
export type HostLookup = (hostname: string) => Promise<Address[]>

const lookUpHost: HostLookup = (hostname) => lookup(hostname, { all: true })

export class ReachableNetworks {
  readonly #networks: PrivateNetworks
  readonly #lookup: HostLookup

  /** `allowed` lists the private addresses and networks that may be reached. */
  constructor(allowed: string[], lookUp: HostLookup = lookUpHost) {
    this.#networks = new PrivateNetworks(allowed)
    this.#lookup = lookUp
  }

  /**
   * Returns the address to connect to. Refuses the host if any of its addresses is private: otherwise, the owner of
   * the DNS server could make Berth use the private one.
   */
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
