// Runs in coroutines: no thread waits for the outputs.
// SPDX-License-Identifier: Apache-2.0
package org.mace.example

import android.annotation.TargetApi
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlin.coroutines.suspendCoroutine
import org.mace.AsyncRuns

/**
 * Runs, and goes on when the outputs are written. It throws what `MaceEngine.run` would throw.
 *
 * In an app with kotlinx-coroutines, `suspendCancellableCoroutine` takes the place of
 * `suspendCoroutine`, and `it.invokeOnCancellation { future.cancel(true) }` ends the run of a
 * coroutine that is cancelled.
 */
@TargetApi(24)
suspend fun AsyncRuns.await(input: Any, output: Any) {
  val future: CompletableFuture<Void> = run(input, output)
  suspendCoroutine<Unit> { continuation ->
    future.whenComplete { _, error ->
      when (error) {
        null -> continuation.resume(Unit)
        is CompletionException -> continuation.resumeWithException(error.cause ?: error)
        else -> continuation.resumeWithException(error)
      }
    }
  }
}
