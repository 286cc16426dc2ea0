// Returns the network of an IP address. Failures are counted by network, because a client with one IPv6
// address controls its whole /64.
import { BlockList, isIPv6 } from 'node:net'

const IPV6_GROUPS = 8
const IPV6_NETWORK_GROUPS = 4

/** Returns whether an address is in one of these networks, which have the form of a Postgres cidr. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const plain = toPlainAddress(address)
  const list = new BlockList()
  for (const network of networks) {
    const [first = '', bits = ''] = network.split('/')
    list.addSubnet(first, Number(bits), findAddressFamily(first))
  }
  return list.check(plain, findAddressFamily(plain))
}

const findAddressFamily = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** Removes the zone of an address, and converts an IPv4 address in IPv6 form to plain IPv4. */
function toPlainAddress(address: string): string {
  const [plain = ''] = address.split('%')
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain
}

/** Returns the /64 of an IPv6 address. Returns an IPv4 address in its plain form, also if it is written in IPv6 form. */
export function findNetwork(address: string): string {
  const plain = toPlainAddress(address)
  if (!isIPv6(plain)) return plain
  const { hostname } = new URL(`http://[${plain}]`)
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(IPV6_GROUPS - head.length - tail.length).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, IPV6_NETWORK_GROUPS).join(':')}::/64`
}
