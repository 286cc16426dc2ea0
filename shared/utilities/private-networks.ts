// Addresses and networks, and those that this machine may reach although outsiders cannot: webhooks must not be sent
// there.
import { BlockList, isIP, isIPv6 } from 'node:net'

/** Private, loopback, link-local (metadata of clouds), carrier-grade, multicast, reserved, documentation. */
const PRIVATE = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  fc00::/7 fe80::/10 fec0::/10 ff00::/8 100::/64 2001::/23 2001:db8::/32`
/** IPv4 addresses in IPv6: compatible (including :: and ::1), translated. */
const EMBEDDED = '::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16'

/** An address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...others] = text.split('/')
  const version = isIP(address)
  if (version === 0 || others.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** Whether a host is this machine, by its name alone. */
export const isLoopback = (hostname: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(hostname)

export class PrivateNetworks {
  readonly #private = networkList(`${PRIVATE} ${EMBEDDED}`.trim().split(/\s+/))
  readonly #allowed: BlockList

  /** `allowed` lists addresses and networks: WEBHOOK_ALLOW_PRIVATE. */
  constructor(allowed: string[]) {
    this.#allowed = networkList(allowed)
  }

  isReachable(address: string): boolean {
    // An IPv4 address in IPv6 form counts as that IPv4 address.
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? hexMapped(address)
    const plain = mapped ?? address
    const family = isIPv6(plain) ? 'ipv6' : 'ipv4'
    return this.#allowed.check(plain, family) || !this.#private.check(plain, family)
  }
}

// The form that URLs use: ::ffff:7f00:1.
function hexMapped(address: string): string | undefined {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(address) ?? []
  if (high === undefined || low === undefined) return undefined
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [first >> 8, first & 255, second >> 8, second & 255].join('.')
}

function networkList(networks: string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return list
}
