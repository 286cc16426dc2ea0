// Networks as people write them: addresses, or networks in CIDR notation.
import { isIP } from 'node:net'
import { message } from '../messages/message.ts'
import { fieldMessage } from '../messages/strict.ts'
import { text } from '../schemas/fields.ts'

/** How many networks a token may name. */
export const NETWORKS_MAX = 100

export function isNetwork(value: string): boolean {
  const [address = '', bits, ...others] = value.split('/')
  const version = isIP(address)
  if (version === 0 || others.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

export function network() {
  return text({ max: 64, min: 1 }).test(
    'network',
    fieldMessage((name) => message`${name} must be an address or a network such as 192.0.2.0/24.`),
    (value) => value == null || isNetwork(value),
  )
}
