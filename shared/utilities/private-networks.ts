// Checks addresses and networks. Webhooks must not be sent to private networks: this machine may reach them, but the
// people who create webhooks should not.
import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * Networks that count as private: private, loopback, link-local (including cloud metadata), carrier-grade NAT,
 * multicast, reserved and documentation networks.
 */
const PRIVATE_NETWORKS = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  fc00::/7 fe80::/10 fec0::/10 ff00::/8 100::/64 2001::/23 2001:db8::/32`
/**
 * Ranges of IPv6 addresses that contain an IPv4 address: compatible (including :: and ::1), mapped and translated
 * addresses.
 */
const EMBEDDED_IPV4_NETWORKS = '::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16'

/** Whether the text is an IP address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...others] = text.split('/')
  const version = isIP(address)
  if (version === 0 || others.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** Whether a host is this machine, judging by the host's name alone. */
export const isLoopback = (hostname: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(hostname)

export class PrivateNetworks {
  readonly #private = createBlockList(`${PRIVATE_NETWORKS} ${EMBEDDED_IPV4_NETWORKS}`.trim().split(/\s+/))
  readonly #allowed: BlockList

  /** `allowed` lists the private addresses and networks that a setting allows. */
  constructor(allowed: string[]) {
    this.#allowed = createBlockList(allowed)
  }

  isReachable(address: string): boolean {
    // An IPv4 address in IPv6 form counts as that IPv4 address.
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? toIpv4(address)
    const plain = mapped ?? address
    const family = isIPv6(plain) ? 'ipv6' : 'ipv4'
    return this.#allowed.check(plain, family) || !this.#private.check(plain, family)
  }
}

// Converts an IPv4 address in IPv6 form, as URLs contain it (::ffff:7f00:1), to the usual form.
function toIpv4(address: string): string | undefined {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(address) ?? []
  if (high === undefined || low === undefined) return undefined
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [first >> 8, first & 255, second >> 8, second & 255].join('.')
}

function createBlockList(networks: string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return list
}
