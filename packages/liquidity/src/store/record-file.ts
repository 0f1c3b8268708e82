/** Client of a `RecordDatabase` that the worker thread writes; the quote log of `packages/quoting` uses it. */
import { dirname } from 'node:path'
import { makeDirectory } from '@sluice/chains'
import { PoolMap, poolChangeSteps } from '../pool-map.ts'
import type { Snapshot } from '../snapshot.ts'
import type { BlockOfRecords, RecordLimits } from './record-database.ts'
import { inBatches, openFile, type ThreadFile } from './store-thread.ts'

/** Log of records, such as quotes. */
export class RecordFile {
  private readonly file: ThreadFile
  /** Pools of the block that was written last; null if the content of the file is unknown. */
  private writtenPools: Snapshot['pools'] | null = null

  private constructor(file: ThreadFile) {
    this.file = file
  }

  /** Opens the file, and creates it if absent. @throws Error if it cannot be written */
  static async open(path: string, limits: RecordLimits): Promise<RecordFile> {
    makeDirectory(dirname(path))
    return new RecordFile(await openFile({ do: 'open-records', path, limits }))
  }

  /**
   * Appends a block with its records atomically. Calls must not overlap.
   *
   * @param content - the records, and the texts that records refer to by hash because many records share them
   */
  async append(
    { chainId, block, pools }: Snapshot,
    content: Pick<BlockOfRecords, 'records' | 'sharedTexts'>,
  ): Promise<void> {
    const { records, sharedTexts } = content
    const hasAllPools = this.writtenPools === null
    try {
      await this.file.requestStore({ do: 'begin' })
      for await (const changeBatch of inBatches(poolChangeSteps(this.writtenPools ?? PoolMap.empty, pools))) {
        const changedPools = changeBatch.flatMap((step) => step.changedPools)
        const goneIds = changeBatch.flatMap((step) => step.goneIds)
        for await (const batch of inBatches(changedPools))
          await this.file.requestStore({ do: 'write', newPools: [], changedPools: batch, goneIds: [] })
        if (goneIds.length > 0) await this.file.requestStore({ do: 'write', newPools: [], changedPools: [], goneIds })
      }
      await this.file.requestStore({
        do: 'commit-records',
        records: { chainId, block, hasAllPools, records, sharedTexts },
      })
      this.writtenPools = pools
    } catch (error) {
      // The last block in the file is unknown: write the next one in full.
      this.writtenPools = null
      await this.file.requestStore({ do: 'rollback' }).catch(() => undefined)
      throw error
    }
  }

  close(): Promise<void> {
    return this.file.requestStore({ do: 'close' })
  }
}
