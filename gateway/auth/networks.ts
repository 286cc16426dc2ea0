// Finds the network of an address, by which failures are counted: a client with one IPv6 address has its
// whole /64.
import { BlockList, isIPv6 } from 'node:net'

const GROUPS = 8
const NETWORK_GROUPS = 4

/** Whether an address lies in one of these networks, each in the form of a Postgres cidr. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const plain = plainAddress(address)
  const list = new BlockList()
  for (const network of networks) {
    const [first = '', bits = ''] = network.split('/')
    list.addSubnet(first, Number(bits), familyOf(first))
  }
  return list.check(plain, familyOf(plain))
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** Drops the zone, and turns an IPv4 address in IPv6 form into plain IPv4. */
function plainAddress(address: string): string {
  const [plain = ''] = address.split('%')
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain
}

/** An IPv4 address as it is, even if it comes in IPv6 form, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) return plain
  const { hostname } = new URL(`http://[${plain}]`)
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(GROUPS - head.length - tail.length).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')}::/64`
}
