// Frames of the back camera, by Camera2.
// SPDX-License-Identifier: Apache-2.0
package org.mace.example

import android.annotation.SuppressLint
import android.content.Context
import android.graphics.ImageFormat
import android.hardware.camera2.CameraAccessException
import android.hardware.camera2.CameraCaptureSession
import android.hardware.camera2.CameraCharacteristics
import android.hardware.camera2.CameraDevice
import android.hardware.camera2.CameraManager
import android.hardware.camera2.params.OutputConfiguration
import android.hardware.camera2.params.SessionConfiguration
import android.media.Image
import android.media.ImageReader
import android.os.Build
import android.os.Handler
import android.os.HandlerThread
import android.util.Size
import android.view.Surface

/**
 * Calls [onFrame] with a frame in YUV_420_888 and the degrees by which it is to be turned
 * clockwise, on a thread of the camera. While that works, newer frames are dropped. [onError] gets
 * what went wrong, on the same thread.
 */
class Camera(
    context: Context,
    private val onFrame: (Image, Int) -> Unit,
    private val onError: (String) -> Unit,
) {
  private val manager = context.getSystemService(Context.CAMERA_SERVICE) as CameraManager
  private val thread = HandlerThread("camera").apply { start() }
  private val handler = Handler(thread.looper)
  private var device: CameraDevice? = null
  private var reader: ImageReader? = null
  private var isClosed = false

  /** The app has the permission CAMERA. [displayDegrees]: of the display's rotation. */
  fun open(displayDegrees: Int) {
    handler.post {
      try {
        openNow(displayDegrees)
      } catch (e: CameraAccessException) {
        onError("the camera cannot be opened: ${e.message}")
      } catch (e: SecurityException) {
        onError("the app may not use the camera: ${e.message}")
      }
    }
  }

  /** The last call is that of [then], on the same thread. */
  fun close(then: () -> Unit) {
    handler.post {
      isClosed = true
      device?.close()
      reader?.close()
      then()
      thread.quitSafely()
    }
  }

  @SuppressLint("MissingPermission")
  private fun openNow(displayDegrees: Int) {
    val name =
        manager.cameraIdList.firstOrNull {
          manager.getCameraCharacteristics(it)[CameraCharacteristics.LENS_FACING] ==
              CameraCharacteristics.LENS_FACING_BACK
        } ?: return onError("this device has no back camera")
    val properties = manager.getCameraCharacteristics(name)
    val sensor = properties[CameraCharacteristics.SENSOR_ORIENTATION] ?: 0
    val degrees = (sensor - displayDegrees + 360) % 360
    val sizes =
        properties[CameraCharacteristics.SCALER_STREAM_CONFIGURATION_MAP]
            ?.getOutputSizes(ImageFormat.YUV_420_888)
            .orEmpty()
    val size = sizes.minByOrNull { distance(it) } ?: return onError("the camera has no YUV frames")
    val frames = ImageReader.newInstance(size.width, size.height, ImageFormat.YUV_420_888, 2)
    reader = frames
    frames.setOnImageAvailableListener(
        { it.acquireLatestImage()?.use { image -> onFrame(image, degrees) } }, handler)
    manager.openCamera(
        name,
        object : CameraDevice.StateCallback() {
          override fun onOpened(camera: CameraDevice) {
            if (isClosed) return camera.close()
            device = camera
            startSession(camera, frames.surface)
          }

          override fun onDisconnected(camera: CameraDevice) {
            camera.close()
            onError("another app has taken the camera")
          }

          override fun onError(camera: CameraDevice, error: Int) {
            camera.close()
            this@Camera.onError("the camera failed with error $error")
          }
        },
        handler)
  }

  private fun distance(size: Size) = Math.abs(size.width * size.height - WIDTH * HEIGHT)

  private fun startSession(camera: CameraDevice, surface: Surface) {
    val callback =
        object : CameraCaptureSession.StateCallback() {
          override fun onConfigured(session: CameraCaptureSession) {
            val request = camera.createCaptureRequest(CameraDevice.TEMPLATE_PREVIEW)
            request.addTarget(surface)
            try {
              session.setRepeatingRequest(request.build(), null, handler)
            } catch (e: CameraAccessException) {
              onError("the camera sends no frames: ${e.message}")
            }
          }

          override fun onConfigureFailed(session: CameraCaptureSession) =
              onError("the camera refuses frames of this size")
        }
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.P) {
      val outputs = listOf(OutputConfiguration(surface))
      camera.createCaptureSession(
          SessionConfiguration(
              SessionConfiguration.SESSION_REGULAR, outputs, { handler.post(it) }, callback))
    } else {
      @Suppress("DEPRECATION")
      camera.createCaptureSession(listOf(surface), callback, handler)
    }
  }

  private companion object {
    const val WIDTH = 640
    const val HEIGHT = 480
  }
}
