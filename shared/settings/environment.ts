// Reads environment variables and checks their types. Collects all problems, so that a process can report them
// together.
import { findAddressProblem, parseDatabaseAddress } from '../database/hosts.ts'
import { isNetwork } from '../utilities/private-networks.ts'

export type Environment = Record<string, string | undefined>

export class EnvironmentReader {
  readonly problems: string[] = []
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  text(name: string, fallback: string): string {
    return this.#environment[name]?.trim() || fallback
  }

  list(name: string): string[] {
    return this.text(name, '')
      .split(/[\s,]+/)
      .filter(Boolean)
  }

  networks(name: string): string[] {
    const networks = this.list(name)
    const wrong = networks.find((network) => !isNetwork(network))
    if (wrong === undefined) return networks
    return this.problem(`${name} must have addresses or networks like 10.0.0.0/8, not “${wrong}”.`, [])
  }

  integer(name: string, fallback: number, { min, max }: { min: number; max: number }): number {
    const text = this.text(name, String(fallback))
    if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
    return this.problem(`${name} must be a whole number from ${min} to ${max}, not “${text}”.`, fallback)
  }

  optionalInteger(name: string, limits: { min: number; max: number }): number | undefined {
    return this.text(name, '') ? this.integer(name, 0, limits) : undefined
  }

  ratio(name: string, fallback: number): number {
    const text = this.text(name, String(fallback))
    if (/^\d*\.?\d+$/.test(text) && Number(text) <= 1) return Number(text)
    return this.problem(`${name} must be a number from 0 to 1, not “${text}”.`, fallback)
  }

  flag(name: string, fallback = false): boolean {
    const text = this.text(name, String(fallback)).toLowerCase()
    if (['true', '1', 'yes', 'on'].includes(text)) return true
    if (['false', '0', 'no', 'off'].includes(text)) return false
    return this.problem(`${name} must be true or false, not “${text}”.`, fallback)
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const text = this.text(name, fallback).toLowerCase()
    const chosen = choices.find((choice) => choice === text)
    if (chosen !== undefined) return chosen
    return this.problem(`${name} must be one of ${choices.join(', ')}, not “${text}”.`, fallback)
  }

  /**
   * Reads a name that becomes part of Redis keys. Special characters are refused, because other users of the same Redis
   * may match keys by pattern.
   */
  name(name: string, fallback: string): string {
    const text = this.text(name, fallback)
    if (/^[\w.:-]{1,64}$/.test(text)) return text
    return this.problem(`${name} must be 1 to 64 letters, digits, “_”, “.”, “:” or “-”.`, fallback)
  }

  // The message about a wrong URL does not contain the URL, because it may contain a password.
  url(name: string, protocols: string[]): string {
    const text = this.text(name, '')
    if (!text) return ''
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text
    const starts = protocols.map((protocol) => `${protocol}//`).join(' or ')
    return this.problem(`${name} must be a URL that starts with ${starts}.`, '')
  }

  databaseUrl(name: string, required?: 'required'): string {
    const text = this.text(name, '')
    if (!text) return required ? this.problem(`${name} is not set.`, '') : ''
    const problem = findAddressProblem(text)
    return problem === undefined ? text : this.problem(`${name} ${problem}.`, '')
  }

  // Reads the URL of a read replica. Only one host is allowed, because the progress of replication is a position on one
  // server: with several hosts, one could report its position while another serves the reads.
  replicaUrl(name: string): string {
    const text = this.databaseUrl(name)
    if (!text || parseDatabaseAddress(text).hosts.length === 1) return text
    return this.problem(
      `${name} must name one host: a read could meet a replica that lacks what its caller has written.`,
      '',
    )
  }

  problem<T>(sentence: string, fallback: T): T {
    this.problems.push(sentence)
    return fallback
  }
}
