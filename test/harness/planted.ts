// Faults that a suite plants in a copy of the build, to prove that it detects them.
import { expect } from 'chai'
import { applyPatch, type Patch } from './built-copy.ts'
import type { Finding } from './findings.ts'

export type Planted<Promised extends string = string> = {
  name: string
  patches?: Patch[]
  /** Promises that the fault breaks. A run must find at least one of them. */
  shows: Promised[]
}

/** Returns the promises that the run found broken because of the fault; empty if it missed the fault. */
export function findBrokenPromises({ shows }: Planted, findings: Finding[]): string[] {
  const found = new Set(findings.map(({ promise }) => promise))
  return shows.some((promise) => found.has(promise)) ? [...found] : []
}

export function itFindsEveryPatchedLine(planted: Planted[]): void {
  it('finds every source line in which the test plants a fault', () => {
    for (const patch of planted.flatMap(({ patches = [] }) => patches))
      expect(applyPatch(patch), patch.file).to.include(patch.replace)
  })
}
