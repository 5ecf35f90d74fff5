import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Signer {
  static String sign(String apiSecret, String timestamp, byte[] body) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(apiSecret.getBytes(UTF_8), "HmacSHA256"));
    mac.update((timestamp + "\n").getBytes(UTF_8));
    return HexFormat.of().formatHex(mac.doFinal(body));
  }
}
