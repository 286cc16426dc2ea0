// Which network an address belongs to: what failures are counted by. Whoever has one IPv6 address has its whole /64.
import { isIPv6 } from 'node:net'

const GROUPS = 8
const NETWORK_GROUPS = 4

/** An IPv4 address, also where it comes as an IPv6 one, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%')
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (ipv4 !== undefined) return ipv4
  if (!isIPv6(plain)) return plain
  // The one way to write it.
  const { hostname } = new URL(`http://[${plain}]`)
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(GROUPS - head.length - tail.length).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')}::/64`
}
