// Faults that a suite plants in a copy of what is built, to see that it finds them.
import { expect } from 'chai'
import { type Patch, patchedText } from './built-copy.ts'
import type { Finding } from './findings.ts'

export type Planted<Promised extends string = string> = {
  name: string
  patches?: Patch[]
  /** A run must find at least one of these broken. */
  shows: Promised[]
}

/** The promises that the run found broken; none if it missed the fault. */
export function caughtBy({ shows }: Planted, findings: Finding[]): string[] {
  const found = new Set(findings.map(({ promise }) => promise))
  return shows.some((promise) => found.has(promise)) ? [...found] : []
}

export function itFindsEveryLine(planted: Planted[]): void {
  it('finds every line in which a fault is planted', () => {
    for (const patch of planted.flatMap(({ patches = [] }) => patches))
      expect(patchedText(patch), patch.file).to.include(patch.replace)
  })
}
